"""How relevant the evidence is, on what basis, and whether asking again can help."""

from __future__ import annotations

from dataclasses import replace

from rag.evidence.answerability_verdict import ANSWER, level_of, verdict_by_answerability
from rag.evidence.records import (
    Attempt,
    DropReason,
    GateReason,
    ProcessedEvidence,
    RelevanceDecision,
    RelevanceLevel,
    RetryAdvice,
    SearchFacts,
)
from rag.settings import GateSettings

_ORDER = (RelevanceLevel.NONE, RelevanceLevel.LOW, RelevanceLevel.MEDIUM, RelevanceLevel.HIGH)
# Reasons that repeating a question would not change.
_ABOUT_THE_EVIDENCE = {
    GateReason.OK,
    GateReason.WEAK,
    GateReason.NO_MATCH,
    GateReason.FILTERED_OUT,
    GateReason.BELOW_THRESHOLD,
}
_SHOWN_WORDS = 8  # in a hint, each by its beginning; the advice itself carries all
_SHOWN_CHARS = 40


_SAME_AGAIN = "Ask the same question again; if the channel keeps failing, run: rag doctor."
_DOUBT = "Answer from the evidence where it does; if the channel keeps failing, run: rag doctor."
_STOP = "Answer from this evidence, or say that the index does not answer: no more look-ups."


class RelevanceGate:
    """Turns the best quality among the evidence into a level, and says what the level rests on.

    On basis ``similarity`` the thresholds are compared with a cosine. On basis ``ordinal`` the
    first piece has quality 1.0 whatever the corpus, so the level never exceeds
    ``gate.ordinal_ceiling``, nor ``low`` where no word of the question was found, and the message
    says that it is ordinal; nor is it ever ``none``, since a rank, on a later page say, does not
    show that nothing fits either. A level is never ``none`` because a channel failed.

    Where a calibrated profile holds, the level comes from its probability instead, on basis
    ``calibrated``, and the thresholds are the profile's; a question off the topic of the base
    earns no advice to retry.

    A hint says to ask exactly where ``should_retry`` is true.
    """

    def __init__(self, settings: GateSettings) -> None:
        self._settings = settings

    def decide(
        self, processed: ProcessedEvidence, facts: SearchFacts, *, words_in_hint: bool = True
    ) -> RelevanceDecision:
        """Return the verdict on one look-up.

        Words that occur nowhere stand in the advice, and in its hint unless ``words_in_hint`` is
        False, for a result that has room for one of them.
        """
        if facts.answerability is not None and _answerability_decides(processed, facts):
            decision = verdict_by_answerability(processed, facts, facts.answerability)
        elif processed.evidence:
            decision = self._of_evidence(processed, facts)
        else:
            decision = _of_nothing(processed, facts)
        return _with_unmatched(_with_attempt(decision, facts), facts, in_hint=words_in_hint)

    def _of_evidence(self, processed: ProcessedEvidence, facts: SearchFacts) -> RelevanceDecision:
        best = max(piece.rated.quality for piece in processed.evidence)
        level = self._level(best)
        if facts.basis == "ordinal":
            ceiling = RelevanceLevel(self._settings.ordinal_ceiling)
            level = _lower(level, ceiling if facts.word_found else RelevanceLevel.LOW)
            level = RelevanceLevel.LOW if level is RelevanceLevel.NONE else level
            message = (
                f"Relevance {level}, and ordinal: ranks say which piece came first, not that any "
                "of them fits the question."
            )
            if not facts.word_found:
                message += " No word of the question was found; the order is by meaning alone."
        else:
            message = f"Relevance {level}: the best piece has {facts.basis} {best:.2f}."
        if facts.failed and level is RelevanceLevel.NONE:
            level = RelevanceLevel.LOW
            message = f"Relevance low: the best piece has {facts.basis} {best:.2f}."
        reason, hint = self._why(level, best, facts)
        if facts.failed:
            message += f" {_failure(facts)}, so better evidence may be missing."
        return RelevanceDecision(
            level=level,
            basis=facts.basis,
            reason=reason,
            message=message,
            retry=RetryAdvice(should_retry=_wanting(level), reason=reason, hint=hint),
            best_quality=best,
            filtered_count=_filtered_count(processed),
        )

    def _level(self, quality: float) -> RelevanceLevel:
        settings = self._settings
        if quality >= settings.high:
            return RelevanceLevel.HIGH
        if quality >= settings.medium:
            return RelevanceLevel.MEDIUM
        return RelevanceLevel.LOW if quality >= settings.low else RelevanceLevel.NONE

    def _why(
        self, level: RelevanceLevel, best: float, facts: SearchFacts
    ) -> tuple[GateReason, str]:
        weak = "Ask again with the words that the documents would use, or more specifically."
        if facts.failed:
            return GateReason.CHANNEL_ERROR, _SAME_AGAIN if _wanting(level) else _DOUBT
        if level is RelevanceLevel.NONE:
            least = f"No piece reaches {self._settings.low:.2f}, the least for any relevance. "
            return GateReason.BELOW_THRESHOLD, least + weak
        if level is RelevanceLevel.LOW:
            return GateReason.WEAK, weak
        return GateReason.OK, ANSWER


def _of_nothing(processed: ProcessedEvidence, facts: SearchFacts) -> RelevanceDecision:
    best = max((drop.quality for drop in processed.dropped), default=None)
    filtered = _filtered_count(processed)
    level, should_retry = RelevanceLevel.NONE, True
    if facts.failed:
        reason, level = GateReason.CHANNEL_ERROR, RelevanceLevel.LOW
        message = f"{_failure(facts)}, so finding nothing here does not mean that nothing is there."
        hint = _SAME_AGAIN
    elif facts.index_empty:
        reason, should_retry = GateReason.EMPTY_INDEX, False
        message = "The index is empty: nothing has been ingested yet."
        hint = "Ingest documents first, for example with: rag ingest FOLDER."
    elif filtered and best is not None:
        reason = GateReason.BELOW_THRESHOLD
        message = (
            f"The index has matches, but the quality of {_all(filtered)} is below the floor of "
            f"{processed.floor:.2f}; the best has {best:.2f}."
        )
        hint = (
            f"Ask with a min_quality of at most {_floor_2(best):.2f}, or with the words that the "
            "documents would use."
        )
    elif facts.filters:
        reason, names = GateReason.FILTERED_OUT, ", ".join(facts.filters)
        message = f"Nothing that the filters ({names}) let through matches; the index is not empty."
        hint = f"Ask again without a filter, or with a wider one: {names}."
    else:
        reason = GateReason.NO_MATCH
        known = "; the index is not empty" if facts.index_empty is not None else ""
        message = f"Nothing in the index matches the question{known}."
        hint = "Ask again with other words, such as those that the documents would use."
    return RelevanceDecision(
        level=level,
        basis=facts.basis,
        reason=reason,
        message=message,
        retry=RetryAdvice(should_retry=should_retry, reason=reason, hint=hint),
        best_quality=best,
        filtered_count=filtered,
    )


def _with_attempt(decision: RelevanceDecision, facts: SearchFacts) -> RelevanceDecision:
    """Return the decision with what earlier look-ups of the same question say about it."""
    attempt, retry = facts.attempt, decision.retry
    if attempt is None:
        return decision
    retry = replace(retry, attempts_left=attempt.left)
    reason, message = decision.reason, decision.message
    stop = attempt.left == 0 and retry.should_retry
    if attempt.number > 1 and attempt.new == 0 and reason in _ABOUT_THE_EVIDENCE:
        reason = GateReason.NO_NEW_EVIDENCE
        message += f" {_repeated(attempt)}"
        left = "1 look-up is left" if attempt.left == 1 else f"{attempt.left} look-ups are left"
        retry = replace(
            retry,
            hint=f"Ask in other words, not the same again: {left}."
            if retry.should_retry
            else "Answer from the evidence; the same look-up adds nothing.",
        )
    elif stop:
        reason = GateReason.ATTEMPTS_EXHAUSTED
        message += f" This was look-up {attempt.number} of the question, the last that may help."
    if stop:
        retry = replace(retry, should_retry=False, hint=_STOP)
    return replace(decision, reason=reason, message=message, retry=replace(retry, reason=reason))


def _repeated(attempt: Attempt) -> str:
    if attempt.returned == 0:
        return f"The index gave nothing to look-up {attempt.number} of this question."
    pieces = "the same piece" if attempt.returned == 1 else f"the same {attempt.returned} pieces"
    return f"To look-up {attempt.number} of this question the index gave {pieces}, and nothing new."


def _with_unmatched(
    decision: RelevanceDecision, facts: SearchFacts, *, in_hint: bool
) -> RelevanceDecision:
    words = facts.unmatched_words
    if not words:
        return decision
    retry = decision.retry
    hint = retry.hint
    if retry.should_retry and in_hint:
        shown = ", ".join(_beginning(word) for word in words[:_SHOWN_WORDS]) + (
            ", …" if len(words) > _SHOWN_WORDS else ""
        )
        where = "in what the filters let through" if facts.filters else "in the index"
        hint += f" These words occur nowhere {where}: {shown}."
    return replace(decision, retry=replace(retry, hint=hint, unmatched_words=words))


def _wanting(level: RelevanceLevel) -> bool:
    return _ORDER.index(level) < _ORDER.index(RelevanceLevel.MEDIUM)


def _all(filtered: int) -> str:
    return "the only one" if filtered == 1 else f"all {filtered}"


def _beginning(word: str) -> str:
    return word if len(word) <= _SHOWN_CHARS else f"{word[: _SHOWN_CHARS - 1]}…"


def _failure(facts: SearchFacts) -> str:
    channels = " and ".join(facts.failed)
    return f"The {channels} channel{'s' if len(facts.failed) > 1 else ''} failed"


def _answerability_decides(processed: ProcessedEvidence, facts: SearchFacts) -> bool:
    """Whether the level is calibrated: not where a channel failed, or there is nothing to judge.

    Without evidence, answerability can still tell for certain that the question is off the topic;
    but not where a filter or a floor left nothing, which says more of them than of the base.
    """
    if facts.answerability is None or facts.failed or facts.index_empty:
        return False
    if processed.evidence:
        return True
    narrowed = [name for name in facts.filters if name != "tenant"]  # a tenant is not chosen
    certain = level_of(facts.answerability) is RelevanceLevel.NONE
    return certain and not narrowed and not processed.dropped


def _filtered_count(processed: ProcessedEvidence) -> int:
    return sum(drop.reason is DropReason.BELOW_QUALITY for drop in processed.dropped)


def _lower(first: RelevanceLevel, second: RelevanceLevel) -> RelevanceLevel:
    return min(first, second, key=_ORDER.index)


def _floor_2(quality: float) -> float:
    """Round down to two places, so that the best piece reaches what is advised."""
    return int(quality * 100) / 100
