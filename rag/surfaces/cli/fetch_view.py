"""How stored text and stored facts look on a terminal."""

from __future__ import annotations

from dataclasses import fields

from rag.ingest.records import Document
from rag.retrieval.document_fetcher import FetchedChunk, FetchResult
from rag.surfaces.cli.terminal import Page, shown
from rag.surfaces.counted import counted
from rag.wire.base_reports import ChunkInspection, DocumentInspection, InspectedChunk

EXCERPT_CHARS = 160


def print_fetch(result: FetchResult) -> None:
    """Print the text, with a line before it that cites it."""
    page = Page()
    stale = "  stale" if result.stale else ""
    page.whole(f"{shown(result.ref)}  {shown(result.title)}{stale}", style="bold")
    for piece in result.context_before:
        _print_neighbour(page, piece)
    if result.context_before:
        page.whole(f"— {shown(result.ref)}", style="bold")
    if result.text:
        page.verbatim(result.text)
    for piece in result.context_after:
        _print_neighbour(page, piece)
    if result.truncated:
        page.line(f"… cut at {counted(result.tokens, 'token')} ({result.counter})", style="dim")


def _print_neighbour(page: Page, piece: FetchedChunk) -> None:
    page.whole(f"— {shown(piece.ref)}", style="dim")
    page.verbatim(piece.text, style="dim")


def print_document(inspection: DocumentInspection) -> None:
    """Print a document's facts, then each chunk with its citation and its beginning."""
    page = Page()
    page.facts(_facts(inspection.document))
    for one in inspection.chunks:
        page.line()
        _print_chunk_head(page, one)
        excerpt = " ".join(shown(one.chunk.text).split())
        page.line(excerpt[:EXCERPT_CHARS] + ("…" if len(excerpt) > EXCERPT_CHARS else ""), indent=2)


def print_chunk(inspection: ChunkInspection) -> None:
    """Print a chunk's facts and its whole text."""
    page = Page()
    one, document = inspection.chunk, inspection.document
    page.facts(
        [
            ("chunk_id", one.chunk.chunk_id),
            ("ref", shown(one.ref)),
            ("headings", shown(" > ".join(one.chunk.heading_path))),
            ("document", f"{document.doc_id}  {shown(document.title)}"),
            ("place", f"chunk {one.chunk.ordinal + 1} of {document.chunk_count}"),
            ("characters", f"{one.chunk.char_start} to {one.chunk.char_end} of the document"),
            ("tokens", f"{one.tokens} ({inspection.counter})"),
            ("embedded", "yes" if one.embedded else "no; it is found by its words"),
            ("source", f"{document.source}, {document.source_type}, {document.trust}"),
            ("indexed_at", document.indexed_at),
            ("content_hash", one.chunk.content_hash),
        ]
    )
    page.line()
    page.verbatim(one.chunk.text)


def _print_chunk_head(page: Page, one: InspectedChunk) -> None:
    page.whole(f"{one.chunk.chunk_id}  {shown(one.ref)}", style="bold")
    embedded = "embedded" if one.embedded else "not embedded"
    headings = shown(" > ".join(one.chunk.heading_path))
    page.line("; ".join(filter(None, (headings, counted(one.tokens, "token"), embedded))), indent=2)


def _facts(document: Document) -> list[tuple[str, str]]:
    rows = []
    for one in fields(document):
        value = getattr(document, one.name)
        said = ", ".join(value) if isinstance(value, tuple) else str(value)
        if said:
            rows.append((one.name, shown(said)))
    return rows
