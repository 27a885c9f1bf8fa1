"""The part of what was left out that a result lists; the rest of it is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rag.evidence.records import Drop

MOST_LISTED = 20  # some 80 tokens each: a result of 200 hits is to stay what a client accepts
MOST_LISTED_IN_BATCH = 40  # over all questions, yet one for each that left something out


@dataclass(frozen=True, slots=True, kw_only=True)
class DropList:
    """``listed`` best ranked first, ``not_listed`` the number of the others.

    ``by_reason`` counts all, by reason in the order of the first of each.
    """

    listed: tuple[Drop, ...]
    not_listed: int
    by_reason: dict[str, int]


def list_drops(dropped: Sequence[Drop], *, questions: int = 1) -> DropList:
    """Return the drops that one result lists, where ``questions`` results leave together."""
    ranked = sorted(dropped, key=lambda one: one.rank)
    listed = ranked[: min(MOST_LISTED, max(1, MOST_LISTED_IN_BATCH // questions))]
    return DropList(
        listed=tuple(listed),
        not_listed=len(ranked) - len(listed),
        by_reason=dict(Counter(str(one.reason) for one in ranked)),
    )
