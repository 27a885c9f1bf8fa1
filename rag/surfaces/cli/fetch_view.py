"""How stored text looks on a terminal."""

from __future__ import annotations

from dataclasses import fields

from rag.retrieval.document_fetcher import FetchResult
from rag.surfaces.cli.terminal import shown, stdout_console
from rag.wire.base_reports import DocumentInspection

EXCERPT_CHARS = 72


def print_fetch(result: FetchResult) -> None:
    """Print the text, with a line before it that cites it."""
    console = stdout_console()
    where = f"{result.unit}s {result.start} to {result.end}"
    console.print(
        f"{shown(result.uri)}  {where}  {shown(result.title)}", markup=False, style="bold"
    )
    for piece in result.context_before:
        _print_neighbour(piece.ref, piece.text)
    console.print(shown(result.text), markup=False, end="" if result.text.endswith("\n") else "\n")
    for piece in result.context_after:
        _print_neighbour(piece.ref, piece.text)
    if result.truncated:
        console.print(
            f"cut at {result.tokens} tokens ({result.counter})", markup=False, style="dim"
        )


def _print_neighbour(ref: str, text: str) -> None:
    console = stdout_console()
    console.print(f"— {shown(ref)}", markup=False, style="dim")
    console.print(shown(text), markup=False, style="dim")


def print_inspection(inspection: DocumentInspection) -> None:
    """Print a document's facts, a line each, then its chunks."""
    console = stdout_console()
    for one in fields(inspection.document):
        value = getattr(inspection.document, one.name)
        said = ", ".join(value) if isinstance(value, tuple) else str(value)
        console.print(f"{one.name:13} {shown(said)}", markup=False)
    for chunk in inspection.chunks:
        excerpt = " ".join(shown(chunk.text).split())[:EXCERPT_CHARS]
        console.print(f"\n{chunk.chunk_id}  {shown(chunk.ref)}", markup=False, style="bold")
        console.print(f"  {shown(' > '.join(chunk.heading_path))}", markup=False, style="dim")
        console.print(f"  {excerpt}", markup=False)
