"""Moments as whole numbers, so that they compare as moments whatever their offset."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime | str) -> int:
    """Return the microseconds since 1970 of a moment; a text is ISO 8601, without offset UTC.

    Raises:
        ValueError: the text is no ISO 8601 time.
    """
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND
