"""What plugs into the ranking room: a way to make one ranking out of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rag.ranking.records import Channel, ScoreKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelEntry:
    """One entry of a channel's ranking: rank from 1, raw score with higher better."""

    chunk_id: str
    rank: int
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedEntry:
    """One entry of a fused ranking, with what each channel said of the chunk."""

    chunk_id: str
    rank: int
    score: float
    lexical: ChannelEntry | None = None
    vector: ChannelEntry | None = None


class FusionPolicy(Protocol):
    """Fuses the rankings of the channels that were asked.

    A channel that was asked and found nothing is an empty ranking and counts; one that was not
    asked is absent from the mapping. Order: score descending, then lexical rank ascending with
    missing last, then chunk id. The input is not changed.
    """

    score_kind: ScoreKind

    def fuse(
        self, rankings: Mapping[Channel, Sequence[ChannelEntry]]
    ) -> tuple[FusedEntry, ...]: ...
