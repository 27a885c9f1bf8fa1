"""Where a chunk, or what is shown of it, stands, as a citation."""

from __future__ import annotations

from dataclasses import replace

from rag.evidence.records import Citation
from rag.ingest.records import Span
from rag.ranking.records import StoredChunk


def cite(chunk: StoredChunk, span: Span | None = None) -> Citation:
    """Return the citation of a chunk: its path, its lines or pages, and its ids.

    ``span`` is where the part that is shown stands; None means the whole chunk.
    """
    span = chunk.span if span is None else span
    return Citation(
        ref=span.cited_in(chunk.uri),
        uri=chunk.uri,
        kind=span.kind,
        start=span.start,
        end=span.end,
        doc_id=chunk.doc_id,
        chunk_id=chunk.chunk_id,
    )


def span_shown(chunk: StoredChunk, text: str) -> Span:
    """Return the lines of a chunk on which ``text``, a part of it, stands.

    A page or document is cited whole, and so is a chunk of which nothing is shown. White space at
    the end of ``text`` is on no line of its own; at its beginning it may differ from the chunk's,
    where the same text was shown from another document.
    """
    shown = text.rstrip()
    if chunk.span.kind != "line" or not shown:
        return chunk.span
    at = chunk.text.find(shown)
    if at < 0:
        shown = shown.lstrip()
        at = max(0, chunk.text.find(shown))
    start = chunk.span.start + chunk.text.count("\n", 0, at)
    return replace(chunk.span, start=start, end=start + shown.count("\n"))
