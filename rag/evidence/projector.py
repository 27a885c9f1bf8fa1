"""What an agent sees of a look-up: evidence, citations, level and advice; no label."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from rag.answerability import AnswerabilitySignal
from rag.evidence.batch_records import BatchAdvice, BatchAnswer, BatchCitation, BatchPiece
from rag.evidence.citation import cite, span_shown
from rag.evidence.drop_list import list_drops
from rag.evidence.packed_records import PackedEvidence, PackedItem, PackedPart
from rag.evidence.records import (
    BudgetUse,
    ChannelOutcome,
    Drop,
    DropReason,
    EvidenceItem,
    RagToolResult,
    RelevanceDecision,
)
from rag.evidence.staleness import is_stale
from rag.ranking.records import RetrievalDetail
from rag.retrieval.records import SearchResponse

ALREADY_PACKED = "already_packed"
PLACES = 4  # of a probability; finer than any profile tells


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


class EvidenceProjector:
    """Turns what was packed and decided into the result of the tool.

    Args:
        stale_after_days: Evidence indexed longer ago is marked stale; 0 marks none.
        now: What tells the time; a test gives its own.
    """

    def __init__(self, *, stale_after_days: int = 0, now: Callable[[], datetime] = utc_now) -> None:
        self._stale_after_days = stale_after_days
        self._now = now

    def project(
        self,
        packed: PackedEvidence,
        decision: RelevanceDecision,
        response: SearchResponse,
        *,
        dropped: Sequence[Drop] = (),
        next_cursor: str | None = None,
        warnings: Sequence[str] = (),
        took_ms: float = 0.0,
    ) -> RagToolResult:
        """Return the result of one look-up; ``dropped`` is what went before packing.

        Every number in it is finite or null: a raw score that is not becomes null.
        """
        drops = list_drops((*dropped, *packed.dropped))
        now = self._now()
        return RagToolResult(
            query=response.query,
            mode=str(response.mode),
            relevance_level=decision.level,
            level_basis=decision.basis,
            reason=decision.reason,
            message=decision.message,
            retry=decision.retry,
            evidence=tuple(self._item(item, now) for item in packed.items),
            context=packed.context,
            budget=BudgetUse(limit=packed.budget, used=packed.tokens, counter=packed.counter),
            best_quality=decision.best_quality,
            filtered_count=decision.filtered_count,
            dropped=drops.listed,
            channels={
                str(name): ChannelOutcome(
                    status=str(report.status),
                    count=report.count,
                    took_ms=report.took_ms,
                    detail=report.detail,
                )
                for name, report in response.channels.items()
            },
            degraded=tuple(map(str, response.degraded)),
            revision=response.revision,
            truncated=_cut(packed.items, drops.by_reason),
            next_cursor=next_cursor,
            answerability=_answerability(decision.answerability),
            took_ms=took_ms,
            warnings=(*response.warnings, *warnings),
            dropped_by_reason=drops.by_reason,
            dropped_not_listed=drops.not_listed,
        )

    def project_part(
        self,
        part: PackedPart,
        decision: RelevanceDecision,
        response: SearchResponse,
        *,
        dropped: Sequence[Drop] = (),
        next_cursor: str | None = None,
    ) -> BatchAnswer:
        """Return one question's answer in a batch, whose context stands with the batch."""
        by_reason = list_drops((*dropped, *part.dropped)).by_reason
        now, retry, answerability = self._now(), decision.retry, decision.answerability
        twice = {one.chunk_id for one in part.dropped if one.chunk_id == one.of}
        return BatchAnswer(
            query=response.query,
            mode=str(response.mode),
            relevance_level=decision.level,
            level_basis=decision.basis,
            reason=decision.reason,
            retry=BatchAdvice(
                should_retry=retry.should_retry,
                hint=retry.hint,
                unmatched_words=retry.unmatched_words if retry.should_retry else (),
                attempts_left=retry.attempts_left,
            ),
            evidence=tuple(
                _piece(self._item(item, now), cited=item.evidence.rated.chunk.chunk_id not in twice)
                for item in part.items
            ),
            dropped_by_reason=by_reason,
            degraded=tuple(map(str, response.degraded)),
            truncated=_cut(part.items, by_reason),
            next_cursor=next_cursor,
            answerability=None
            if answerability is None
            else {"probability": round(answerability.probability, PLACES)},
        )

    def _item(self, item: PackedItem, now: datetime) -> EvidenceItem:
        rated = item.evidence.rated
        chunk = rated.chunk
        return EvidenceItem(
            number=item.number,
            citation=cite(chunk, span_shown(chunk, item.text) if item.truncated else None),
            text="" if item.repeated else item.text,
            truncated=item.truncated,
            title=chunk.title,
            heading_path=chunk.heading_path,
            quality=rated.quality,
            rank=rated.rank,
            source=chunk.source,
            language=chunk.language,
            indexed_at=chunk.indexed_at,
            stale=is_stale(chunk.indexed_at, now, self._stale_after_days),
            retrieval=_finite(rated.retrieval) if rated.retrieval is not None else None,
            also_in=item.evidence.also_in,
            flags=(*rated.flags, ALREADY_PACKED) if item.repeated else rated.flags,
        )


def _cut(items: Sequence[PackedItem], by_reason: Mapping[str, int]) -> bool:
    """Whether the budget cut something, or left it out."""
    return any(item.truncated for item in items) or DropReason.OVER_BUDGET in by_reason


def _piece(item: EvidenceItem, *, cited: bool) -> BatchPiece:
    citation = BatchCitation(ref=item.citation.ref, chunk_id=item.citation.chunk_id)
    flags = [name for name in ("truncated", "stale") if getattr(item, name)]
    return BatchPiece(
        number=item.number,
        citation=citation if cited else None,
        text=item.text,
        quality=item.quality,
        flags=(*flags, *item.flags),
    )


def _answerability(signal: AnswerabilitySignal | None) -> dict[str, Any] | None:
    if signal is None:
        return None
    return {
        "probability": round(signal.probability, PLACES),
        "on_topic": round(signal.on_topic, PLACES),
        "profile": signal.profile,
        "basis": str(signal.basis),
    }


def _finite(detail: RetrievalDetail) -> RetrievalDetail:
    """Return the detail with scores that JSON has no number for as None."""
    scores = (detail.fusion_score, detail.lexical_score, detail.vector_score)
    if all(score is None or math.isfinite(score) for score in scores):
        return detail
    fusion, lexical, vector = (
        score if score is not None and math.isfinite(score) else None for score in scores
    )
    return replace(detail, fusion_score=fusion, lexical_score=lexical, vector_score=vector)
