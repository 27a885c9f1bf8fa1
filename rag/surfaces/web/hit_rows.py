"""One row for each hit: what the channels said, the fusion in figures, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from rag.evidence.records import Drop, DropReason, RagToolResult
from rag.stores.records import ChannelStatus
from rag.surfaces.web.safe_text import marked
from rag.wire.search_response import ResultHit, SearchResult, SearchTrace

DROPPED_BECAUSE = {
    DropReason.BELOW_QUALITY: "its quality is below the floor",
    DropReason.DUPLICATE_OF: "the same text as a better ranked piece",
    DropReason.NEAR_DUPLICATE_OF: "nearly the same text as a better ranked piece",
    DropReason.PER_DOCUMENT_CAP: "its document has given as many pieces as it may",
    DropReason.OVER_BUDGET: "it did not fit the token budget",
    DropReason.ALREADY_PACKED: "it stands with another question already",
}

ABSENT_BECAUSE = {
    ChannelStatus.OK: "not found",
    ChannelStatus.OFF: "not asked",
    ChannelStatus.NO_TERMS: "not asked",
    ChannelStatus.NOT_COVERED: "not asked",
    ChannelStatus.ERROR: "failed",
    ChannelStatus.TIMEOUT: "failed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelCell:
    """What one channel said of a hit; ``share`` is its score over the channel's best, in [0, 1].

    ``absent`` says in words why there is no rank: an empty answer is not a question never asked.
    """

    rank: int | None
    score: float | None
    share: float
    absent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRow:
    """One hit as the page shows it.

    ``number`` is its citation number in the context block; ``dropped`` says in words why it has
    none, and ``of`` is the rank of the piece that it doubles.
    """

    hit: ResultHit
    snippet: Markup
    lexical: ChannelCell
    vector: ChannelCell
    fusion: str | None
    number: int | None
    cut: bool
    dropped: str | None
    of: int | None


def hit_rows(found: SearchResult, result: RagToolResult) -> tuple[HitRow, ...]:
    """Return the hits of a search in order, with what a look-up made of each."""
    numbers = {item.citation.chunk_id: item for item in result.evidence}
    before_packing = found.trace.dropped if found.trace else ()
    drops = {drop.chunk_id: drop for drop in (*before_packing, *result.dropped)}
    unlisted = DROPPED_BECAUSE[DropReason.OVER_BUDGET] if result.dropped_not_listed else None
    ranks = {hit.chunk_id: hit.rank for hit in found.hits}
    best = _best_scores(found.hits)
    absent = {
        name: ABSENT_BECAUSE[ChannelStatus(report.status)]
        for name, report in found.channels.items()
    }
    rows = []
    for hit in found.hits:
        item, drop = numbers.get(hit.chunk_id), drops.get(hit.chunk_id)
        detail = hit.retrieval
        rows.append(
            HitRow(
                hit=hit,
                snippet=marked(hit.snippet.text, hit.snippet.matches) if hit.snippet else Markup(),
                lexical=_cell(
                    detail.lexical_rank, detail.lexical_score, best["lexical"], absent["lexical"]
                ),
                vector=_cell(
                    detail.vector_rank, detail.vector_score, best["vector"], absent["vector"]
                ),
                fusion=_fusion_sum(hit, found.trace),
                number=item.number if item else None,
                cut=item.truncated if item else False,
                dropped=drop_words(drop) if drop else None if item else unlisted,
                of=ranks.get(drop.of) if drop and drop.of else None,
            )
        )
    return tuple(rows)


def drop_words(drop: Drop) -> str:
    """Say in words why a hit is not among the evidence."""
    return DROPPED_BECAUSE.get(drop.reason, str(drop.reason))


def _best_scores(hits: Sequence[ResultHit]) -> Mapping[str, float]:
    lexical = [hit.retrieval.lexical_score or 0.0 for hit in hits]
    vector = [hit.retrieval.vector_score or 0.0 for hit in hits]
    return {"lexical": max(lexical, default=0.0), "vector": max(vector, default=0.0)}


def _cell(rank: int | None, score: float | None, best: float, absent: str) -> ChannelCell:
    share = 0.0 if score is None or best <= 0 else min(1.0, max(0.0, score / best))
    return ChannelCell(rank=rank, score=score, share=share, absent=absent)


def _fusion_sum(hit: ResultHit, trace: SearchTrace | None) -> str | None:
    """Return reciprocal rank fusion in figures: ``(1/61 + 1/63) ÷ (1/61 + 1/61)``.

    None where nothing was fused, or by another formula.
    """
    fusion = trace.fusion if trace is not None else None
    if fusion is None or fusion.k is None or hit.retrieval.fusion_score is None:
        return None
    k = fusion.k
    ranks = {"lexical": hit.retrieval.lexical_rank, "vector": hit.retrieval.vector_rank}
    terms = [
        f"{weight:g}/{k + rank}"
        for name, weight in fusion.weights.items()
        if (rank := ranks.get(name)) is not None
    ]
    most = [f"{weight:g}/{k + 1}" for weight in fusion.weights.values()]
    return f"({' + '.join(terms)}) ÷ ({' + '.join(most)})"
