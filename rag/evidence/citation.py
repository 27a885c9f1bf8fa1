"""Where a chunk stands, as a citation."""

from __future__ import annotations

from rag.evidence.records import Citation
from rag.ranking.records import StoredChunk


def cite(chunk: StoredChunk) -> Citation:
    """Return the citation of a chunk: its path, its lines or pages, and its ids."""
    span = chunk.span
    return Citation(
        ref=chunk.citation_uri(),
        uri=chunk.uri,
        kind=span.kind,
        start=span.start,
        end=span.end,
        doc_id=chunk.doc_id,
        chunk_id=chunk.chunk_id,
    )
