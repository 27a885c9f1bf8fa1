"""What is advised where evidence was found and the token budget had no room for any of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.evidence.records import Drop, DropReason, GateReason, RelevanceDecision


def with_room_advice(
    decision: RelevanceDecision, dropped: Sequence[Drop], budget: int, *, questions: int = 1
) -> RelevanceDecision:
    """Return the decision with the advice to ask for more room, where nothing was packed.

    ``dropped`` is what the packer left out of a budget that ``questions`` share. The level stays:
    it is of what was found. Asking again then helps, unless no attempt is left; a budget of 0
    asked for the verdict alone, and what does not cover the question is not worth the room.
    """
    if not dropped or any(drop.reason is not DropReason.OVER_BUDGET for drop in dropped):
        return decision
    retry = decision.retry
    if budget == 0:
        alone = "A budget of 0 gives the verdict alone; a larger budget_tokens gives the evidence."
        hint = f"{retry.hint} {alone}" if retry.should_retry else alone
        return replace(decision, retry=replace(retry, hint=hint))
    count = len(dropped)
    pieces = "The one piece" if count == 1 else f"None of the {count} pieces"
    fits = "does not fit" if count == 1 else "fits"
    tokens = "1 token" if budget == 1 else f"{budget} tokens"
    shared = f", which {questions} questions share" if questions > 1 else ""
    message = f"{decision.message} {pieces} found {fits} the budget of {tokens}{shared}."
    if decision.reason is GateReason.OFF_TOPIC:  # more room would show what does not answer
        return replace(decision, message=message)
    more = retry.attempts_left != 0
    if not more:
        hint = "Nothing fitted, so there is nothing to read: say that the budget was too small."
    elif questions > 1:
        hint = "Ask it by itself, or all again with a larger budget_tokens."
    else:
        hint = "Ask again with a larger budget_tokens: nothing fitted, so there is nothing to read."
    return replace(decision, message=message, retry=replace(retry, should_retry=more, hint=hint))
