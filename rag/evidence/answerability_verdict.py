"""The verdict that a calibrated probability gives: level, reason, and advice."""

from __future__ import annotations

from rag.answerability import AnswerabilitySignal
from rag.evidence.records import (
    DropReason,
    GateReason,
    ProcessedEvidence,
    RelevanceDecision,
    RelevanceLevel,
    RetryAdvice,
    SearchFacts,
)

ANSWER = "Answer from the evidence."
_WEAK = (
    "The subject is covered, but these pieces may not answer: ask again, more specifically or "
    "with the words that the documents would use."
)


def level_of(signal: AnswerabilitySignal) -> RelevanceLevel:
    """Return the level by the profile's cut-points.

    ``none`` where the question is off the topic beyond the profile's cut; ``low`` where it is
    more likely off than on, or the probability of an answer is below ``medium``; then ``medium``
    and ``high`` by that probability.
    """
    if signal.on_topic < signal.model.none:
        return RelevanceLevel.NONE
    if signal.off_topic or signal.probability < signal.model.medium:
        return RelevanceLevel.LOW
    if signal.probability < signal.model.high:
        return RelevanceLevel.MEDIUM
    return RelevanceLevel.HIGH


def verdict_by_answerability(
    processed: ProcessedEvidence, facts: SearchFacts, signal: AnswerabilitySignal
) -> RelevanceDecision:
    """Return the verdict of a search whose channels all answered."""
    level = level_of(signal)
    filtered = sum(drop.reason is DropReason.BELOW_QUALITY for drop in processed.dropped)
    qualities = [piece.rated.quality for piece in processed.evidence]
    searched = "what the filters let through" if facts.filters else "the base"
    message = (
        f"Relevance {level}, calibrated: the probability that {searched} answers this is "
        f"{_percent(signal.probability)}"
    )
    if signal.off_topic:
        reason = GateReason.OFF_TOPIC
        message += f", and that it covers the subject at all {_percent(signal.on_topic)}."
        retry, hint = _off_topic_advice(facts, certain=level is RelevanceLevel.NONE)
    elif level is RelevanceLevel.LOW:
        reason, retry, hint = GateReason.WEAK, True, _WEAK
        message += "."
    else:
        reason, retry, hint = GateReason.OK, False, ANSWER
        message += "."
    return RelevanceDecision(
        level=level,
        basis="calibrated",
        reason=reason,
        message=message,
        retry=RetryAdvice(should_retry=retry, reason=reason, hint=hint),
        best_quality=max(
            qualities, default=max((drop.quality for drop in processed.dropped), default=None)
        ),
        filtered_count=filtered,
        answerability=signal,
    )


def _off_topic_advice(facts: SearchFacts, *, certain: bool) -> tuple[bool, str]:
    covers = f" It is mostly about: {'; '.join(facts.covers)}." if facts.covers else ""
    if facts.filters:
        names = ", ".join(facts.filters)
        return True, (
            f"What the filters ({names}) let through does not cover this: ask without a filter, "
            f"or with a wider one.{covers}"
        )
    if certain:
        return False, (
            "Other words will not help where the subject is missing: say that this base does not "
            f"cover it, or look elsewhere.{covers}"
        )
    return False, (
        "The base probably does not cover this: use the evidence only where it plainly answers, "
        f"and say so otherwise.{covers}"
    )


def _percent(probability: float) -> str:
    return "under 1 %" if probability < 0.01 else f"{min(probability, 0.99):.0%}".replace("%", " %")
