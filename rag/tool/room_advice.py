"""What is advised where evidence was found and the token budget had no room for any of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.evidence.records import Drop, DropReason, RelevanceDecision


def with_room_advice(
    decision: RelevanceDecision, dropped: Sequence[Drop], budget: int
) -> RelevanceDecision:
    """Return the decision with the advice to ask for more room, where nothing was packed.

    ``dropped`` is what the packer left out. The level stays: it is of what was found. Asking again
    then helps, unless no attempt is left; a budget of 0 asked for the verdict alone.
    """
    if not dropped or any(drop.reason is not DropReason.OVER_BUDGET for drop in dropped):
        return decision
    retry = decision.retry
    if budget == 0:
        hint = "A budget of 0 gives the verdict alone; ask with a larger budget_tokens to read."
        return replace(decision, retry=replace(retry, hint=hint))
    count = len(dropped)
    pieces = "The one piece" if count == 1 else f"None of the {count} pieces"
    fits = "does not fit" if count == 1 else "fits"
    message = f"{decision.message} {pieces} found {fits} the budget of {budget} tokens."
    hint = "Ask again with a larger budget_tokens: nothing fitted, so there is nothing to read."
    return replace(
        decision,
        message=message,
        retry=replace(retry, should_retry=retry.attempts_left != 0, hint=hint),
    )
