"""Joins the answers of a batch, and says once what they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rag.errors import RagError
from rag.evidence.batch_records import BatchAnswer, BatchError, RagBatchResult
from rag.evidence.packed_records import PackedBatch
from rag.evidence.records import BudgetUse, RelevanceDecision
from rag.retrieval.records import SearchResponse


def batch_result(
    packed: PackedBatch,
    answers: Mapping[int, BatchAnswer],
    searches: Sequence[SearchResponse],
    decisions: Sequence[RelevanceDecision],
    errors: Mapping[int, RagError],
    *,
    warnings: Sequence[str] = (),
    took_ms: float = 0.0,
) -> RagBatchResult:
    """Return the result of ``len(answers) + len(errors)`` questions, each at its place from 0."""
    hints = _shared_hints(answers.values())
    channels: dict[str, Counter[str]] = {}
    for search in searches:
        for name, report in search.channels.items():
            channels.setdefault(str(name), Counter())[str(report.status)] += 1
    revisions = {search.revision for search in searches}
    profiles = (one.answerability.profile for one in decisions if one.answerability is not None)
    told = [*(warning for search in searches for warning in search.warnings), *warnings]
    return RagBatchResult(
        results=tuple(
            _without_shared_hint(answers[place], hints) if place in answers else None
            for place in range(len(answers) + len(errors))
        ),
        context=packed.context,
        budget=BudgetUse(limit=packed.budget, used=packed.tokens, counter=packed.counter),
        errors=tuple(
            BatchError(index=place, error=error.to_wire()) for place, error in errors.items()
        ),
        hints=hints,
        channels={name: dict(statuses) for name, statuses in channels.items()},
        revision=revisions.pop() if len(revisions) == 1 else None,
        answerability_profile=next(profiles, None),
        warnings=tuple(dict.fromkeys(told)),
        took_ms=took_ms,
    )


def _shared_hints(answers: Iterable[BatchAnswer]) -> dict[str, str]:
    """Return for each reason the hint that most of its questions have."""
    by_reason: dict[str, Counter[str]] = {}
    for one in answers:
        if one.retry.hint is not None:
            by_reason.setdefault(str(one.reason), Counter())[one.retry.hint] += 1
    return {reason: hints.most_common(1)[0][0] for reason, hints in by_reason.items()}


def _without_shared_hint(answer: BatchAnswer, hints: Mapping[str, str]) -> BatchAnswer:
    if answer.retry.hint != hints[answer.reason]:
        return answer
    return replace(answer, retry=replace(answer.retry, hint=None))
