"""Whether a chunk was indexed too long ago."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def is_stale(indexed_at: str, now: datetime, stale_after_days: int) -> bool:
    """Whether more than ``stale_after_days`` have passed since ``indexed_at``; 0 days: never.

    ``indexed_at`` is an ISO 8601 time, in UTC where it names no offset. What is no time counts
    as stale, since nothing shows it to be fresh.
    """
    if stale_after_days == 0:
        return False
    try:
        then = datetime.fromisoformat(indexed_at)
    except ValueError:
        return True
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return now - then > timedelta(days=stale_after_days)
