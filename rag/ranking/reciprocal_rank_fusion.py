"""Weighted reciprocal rank fusion, scaled so that the best possible score is 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rag.ranking.fusion_policy import ChannelEntry, FusedEntry
from rag.ranking.records import Channel, ScoreKind

RRF_K = 60  # Cormack, Clarke and Büttcher 2009; damps what a single first place can do


class ReciprocalRankFusion:
    """Fuses rankings by the places that a chunk took in them.

    ``score(c) = Σ w/(k + rank) ÷ Σ w/(k + 1)``: above, the channels that returned c; below, all
    channels asked, also those that found nothing. Ranks count from 1, so 1.0 is first place in
    every channel asked, and a chunk that one of two equal channels put first scores 0.5. A
    channel that did not return a chunk adds nothing: there is no phantom rank.

    Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", SIGIR 2009, with weights and scaled by its maximum.

    Args:
        k: The constant of the formula, at least 1.
        weights: Weight of each channel, above 0; 1.0 where none is given.

    Raises:
        ValueError: ``k`` is below 1, or a weight is not a finite number above 0.
    """

    score_kind = ScoreKind.RRF

    def __init__(self, k: int = RRF_K, weights: Mapping[Channel, float] | None = None) -> None:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise ValueError(f"the constant k of a fusion must be a whole number >= 1; got {k!r}")
        given = {channel: float((weights or {}).get(channel, 1.0)) for channel in Channel}
        for channel, weight in given.items():
            if not (math.isfinite(weight) and weight > 0):
                raise ValueError(f"the weight of channel {channel} must be above 0; got {weight!r}")
        self.k = k
        self.weights: Mapping[Channel, float] = MappingProxyType(given)

    def fuse(self, rankings: Mapping[Channel, Sequence[ChannelEntry]]) -> tuple[FusedEntry, ...]:
        """Return every chunk of the rankings once, best first; see :class:`FusionPolicy`.

        A chunk that one channel returned more than once counts once, by its best score.

        Raises:
            ValueError: a rank is below 1.
        """
        best_sum = sum(
            self.weights[channel] / (self.k + 1) for channel in Channel if channel in rankings
        )
        sums: dict[str, float] = {}
        found: dict[Channel, dict[str, ChannelEntry]] = {Channel.LEXICAL: {}, Channel.VECTOR: {}}
        for channel, entries in found.items():
            if channel not in rankings:
                continue
            entries.update(best_per_chunk(channel, rankings[channel]))
            weight = self.weights[channel]
            for chunk_id, entry in entries.items():
                sums[chunk_id] = sums.get(chunk_id, 0.0) + weight / (self.k + entry.rank)
        lexical, vector = found[Channel.LEXICAL], found[Channel.VECTOR]
        ordered = sorted(
            (
                -total / best_sum,
                lexical[chunk_id].rank if chunk_id in lexical else math.inf,
                chunk_id,
            )
            for chunk_id, total in sums.items()
        )
        return tuple(
            FusedEntry(
                chunk_id=chunk_id,
                rank=rank,
                score=-negated,
                lexical=lexical.get(chunk_id),
                vector=vector.get(chunk_id),
            )
            for rank, (negated, _, chunk_id) in enumerate(ordered, 1)
        )


def best_per_chunk(channel: Channel, entries: Sequence[ChannelEntry]) -> dict[str, ChannelEntry]:
    """Return a ranking's entries by chunk, the better one where a chunk stands twice.

    Raises:
        ValueError: a rank is below 1.
    """
    best: dict[str, ChannelEntry] = {}
    for entry in entries:
        if entry.rank < 1:
            raise ValueError(f"channel {channel} has rank {entry.rank}; ranks count from 1")
        other = best.get(entry.chunk_id)
        if other is None or _merit(entry) > _merit(other):
            best[entry.chunk_id] = entry
    return best


def _merit(entry: ChannelEntry) -> tuple[float, int]:
    """Order two entries of one chunk: by score (0.0 is one; None and NaN are none), then rank."""
    score = entry.score
    return (-math.inf if score is None or math.isnan(score) else score, -entry.rank)
