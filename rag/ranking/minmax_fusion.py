"""Convex combination of min-max normalised scores: how far apart two hits are counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rag.ranking.fusion_policy import ChannelEntry, FusedEntry
from rag.ranking.reciprocal_rank_fusion import best_per_chunk
from rag.ranking.records import Channel, ScoreKind


class MinMaxFusion:
    """Fuses rankings by their scores, each channel's list stretched to [0, 1].

    ``score(c) = Σ w · norm(score) ÷ Σ w``, over all channels asked; ``norm`` takes the list's
    least score to 0 and its best to 1. A channel that did not return a chunk adds nothing, and a
    list whose scores are all equal (of one entry, say) gives each of them 1. A score that is no
    number counts as the least. The result is in [0, 1]; 1.0 is best in every channel asked.

    It depends on the whole of both lists, so a score of one query says nothing about another.

    Source: Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval",
    ACM TOIS 2023, with the least score of the list as the minimum.

    Args:
        weights: Weight of each channel, above 0; 1.0 where none is given. Only their ratio counts.

    Raises:
        ValueError: a weight is not a finite number above 0.
    """

    score_kind = ScoreKind.MINMAX

    def __init__(self, weights: Mapping[Channel, float] | None = None) -> None:
        given = {channel: float((weights or {}).get(channel, 1.0)) for channel in Channel}
        for channel, weight in given.items():
            if not (math.isfinite(weight) and weight > 0):
                raise ValueError(f"the weight of channel {channel} must be above 0; got {weight!r}")
        self.weights: Mapping[Channel, float] = MappingProxyType(given)

    def fuse(self, rankings: Mapping[Channel, Sequence[ChannelEntry]]) -> tuple[FusedEntry, ...]:
        """Return every chunk of the rankings once, best first; see :class:`FusionPolicy`.

        A chunk that one channel returned more than once counts once, by its best score.

        Raises:
            ValueError: a rank is below 1.
        """
        total = sum(self.weights[channel] for channel in Channel if channel in rankings)
        sums: dict[str, float] = {}
        found: dict[Channel, dict[str, ChannelEntry]] = {Channel.LEXICAL: {}, Channel.VECTOR: {}}
        for channel, entries in found.items():
            if channel not in rankings:
                continue
            entries.update(best_per_chunk(channel, rankings[channel]))
            weight = self.weights[channel] / total
            for chunk_id, score in _stretched(entries).items():
                sums[chunk_id] = sums.get(chunk_id, 0.0) + weight * score
        lexical, vector = found[Channel.LEXICAL], found[Channel.VECTOR]
        ordered = sorted(
            (-score, lexical[one].rank if one in lexical else math.inf, one)
            for one, score in sums.items()
        )
        return tuple(
            FusedEntry(
                chunk_id=chunk_id,
                rank=rank,
                score=min(-negated, 1.0),
                lexical=lexical.get(chunk_id),
                vector=vector.get(chunk_id),
            )
            for rank, (negated, _, chunk_id) in enumerate(ordered, 1)
        )


def _stretched(entries: Mapping[str, ChannelEntry]) -> dict[str, float]:
    """Return each chunk's score, the least of the list as 0.0 and the best as 1.0."""
    known = [one.score for one in entries.values() if one.score is not None]
    finite = [score for score in known if math.isfinite(score)]
    if not finite:
        return dict.fromkeys(entries, 0.0)
    least, best = min(finite), max(finite)
    stretched = {}
    for chunk_id, entry in entries.items():
        score = entry.score
        if score is None or not math.isfinite(score):
            stretched[chunk_id] = 0.0
        else:
            stretched[chunk_id] = (score - least) / (best - least) if best > least else 1.0
    return stretched
