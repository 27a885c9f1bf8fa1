"""The verbatim window of a text that holds most of a query's words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A verbatim part of a text: ``text == source[start:end]``.

    ``matches`` are character ranges (start, end) inside ``text`` where query words stand.
    """

    text: str
    start: int
    end: int
    matches: tuple[tuple[int, int], ...] = ()
