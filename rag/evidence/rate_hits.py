"""The door through which hits enter the evidence room, and at which their labels stay behind."""

from __future__ import annotations

from collections.abc import Iterable

from rag.evidence.records import RatedChunk
from rag.ranking.records import Quality, SearchHit


def rate_hits(hits: Iterable[SearchHit], qualities: Iterable[Quality]) -> tuple[RatedChunk, ...]:
    """Return hits with their qualities, in order, without score, label and kind.

    Raises:
        ValueError: there is not exactly one quality per hit.
    """
    return tuple(
        RatedChunk(
            chunk=hit.chunk,
            rank=hit.rank,
            quality=quality.value,
            flags=quality.flags,
            retrieval=hit.retrieval,
        )
        for hit, quality in zip(hits, qualities, strict=True)
    )
