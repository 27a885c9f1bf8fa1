"""The part of what was left out that a result lists; the rest of it is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rag.evidence.records import Drop

MOST_LISTED = 20  # some 80 tokens each: a result of 200 hits is to stay what a client accepts


@dataclass(frozen=True, slots=True, kw_only=True)
class DropList:
    """``listed`` best ranked first, ``not_listed`` the number of the others.

    ``by_reason`` counts all, by reason in the order of the first of each.
    """

    listed: tuple[Drop, ...]
    not_listed: int
    by_reason: dict[str, int]


def list_drops(dropped: Sequence[Drop]) -> DropList:
    """Return the drops that a result lists, and how many there are of each kind."""
    ranked = sorted(dropped, key=lambda one: one.rank)
    listed = ranked[:MOST_LISTED]
    return DropList(
        listed=tuple(listed),
        not_listed=len(ranked) - len(listed),
        by_reason=dict(Counter(str(one.reason) for one in ranked)),
    )
