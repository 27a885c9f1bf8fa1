"""Where the next page of a look-up begins, when its budget held less than its page."""

from __future__ import annotations

from collections.abc import Iterable

from rag.evidence.records import Drop, DropReason


def resume_offset(dropped: Iterable[Drop], offset: int, *, packed: bool) -> int | None:
    """Return how many hits of the ranking lie behind the reader, None for the whole page.

    That is all before the first piece that the budget left out, so that paging passes over
    nothing. A piece at the very beginning that no cut could fit is passed over, or pages would
    never move on; and where nothing at all was packed, the budget is at fault, not the page.
    """
    if not packed:
        return None
    left_out = (drop.rank - 1 for drop in dropped if drop.reason is DropReason.OVER_BUDGET)
    return min((before for before in left_out if before > offset), default=None)
