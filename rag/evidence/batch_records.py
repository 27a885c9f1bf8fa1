"""What several look-ups with one budget return: a verdict and evidence each, the rest once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rag.evidence.records import BudgetUse, GateReason, LevelBasis, RelevanceLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCitation:
    """Where a piece stands: ``ref`` is its path with its lines, which a fetch takes too."""

    ref: str
    chunk_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPiece:
    """One piece of evidence of a question.

    ``flags`` may hold ``truncated`` (the text was cut), ``stale``, ``nonfinite_score`` and
    ``already_packed``: the text stands under the same ``number`` with another question, and is
    empty here; so is ``citation`` null where the very chunk stands there, and not only its text.
    """

    number: int
    citation: BatchCitation | None
    text: str
    quality: float
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchAdvice:
    """Whether asking this question again can help, and with what; see ``RetryAdvice``.

    ``hint`` is null where it is the one that the batch gives for this reason in ``hints``.
    ``unmatched_words`` stand here alone and not in the hint, where asking again can help.
    """

    should_retry: bool
    hint: str | None
    unmatched_words: tuple[str, ...] = ()
    attempts_left: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchAnswer:
    """One question's verdict and evidence: what is its own of a ``rag_tool_result.v1``.

    A quality is a ranking signal, not confidence. There is no message: level, basis, reason,
    counts and ``answerability`` hold all that it would put into words. ``dropped_by_reason`` counts
    the hits that are not among the evidence. ``truncated`` says that the budget left something out;
    a batch of few questions gives a ``next_cursor`` for it, and in any the question can be asked by
    itself, which also tells what was dropped and every raw score. ``answerability`` holds
    ``probability``, and is null where no profile holds.
    """

    query: str
    mode: str
    relevance_level: RelevanceLevel
    level_basis: LevelBasis
    reason: GateReason
    retry: BatchAdvice
    evidence: tuple[BatchPiece, ...]
    dropped_by_reason: dict[str, int]
    degraded: tuple[str, ...]
    truncated: bool
    next_cursor: str | None = None
    answerability: dict[str, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchError:
    """A question of a batch that failed: its place from 0, and the ``error.v1`` object."""

    index: int
    error: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RagBatchResult:
    """What several look-ups with one shared budget return (``rag_batch_result.v1``).

    ``results`` has one entry per question in their order, None where ``errors`` says why.
    ``context`` is rendered once for all of them; evidence is numbered through the whole batch.
    What questions share stands here once: ``hints`` has by reason what to do about every question
    that has no hint of its own, ``channels`` counts for each channel how many searches
    ended with which status, ``revision`` is null where a write came between two of them,
    ``answerability_profile`` names whose probabilities ``answerability`` holds, and ``warnings``
    are of any.
    """

    schema_version: Literal["rag_batch_result.v1"] = "rag_batch_result.v1"
    results: tuple[BatchAnswer | None, ...]
    context: str
    budget: BudgetUse
    errors: tuple[BatchError, ...] = ()
    hints: dict[str, str]
    channels: dict[str, dict[str, int]]
    revision: str | None
    answerability_profile: str | None = None
    warnings: tuple[str, ...] = ()
    took_ms: float = 0.0

    def hint_for(self, answer: BatchAnswer) -> str:
        """Return what to do about one of the questions."""
        return self.hints[answer.reason] if answer.retry.hint is None else answer.retry.hint
