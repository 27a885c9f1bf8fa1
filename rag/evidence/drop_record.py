"""How a chunk that is left out is reported."""

from __future__ import annotations

from rag.evidence.records import Drop, DropReason, RatedChunk


def drop(rated: RatedChunk, reason: DropReason, of: str | None = None) -> Drop:
    """Return the report of a chunk left out; ``of`` is the id of the chunk that it doubles."""
    return Drop(
        chunk_id=rated.chunk.chunk_id,
        uri=rated.chunk.uri,
        rank=rated.rank,
        quality=rated.quality,
        reason=reason,
        of=of,
    )
