"""Headings found in a text, turned into the sections that partition it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rag.ingest.records import Section

MAX_HEADING_CHARS = (
    200  # every chunk repeats its path, so one absurd heading must not swell them all
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """One heading: where its line starts, where its words end, its rank (1 highest), its name."""

    start: int
    body_start: int
    level: int
    name: str


def sections_from_headings(
    text: str,
    headings: Sequence[Heading],
    *,
    atomic: Sequence[tuple[int, int]] = (),
    front_matter_end: int = 0,
) -> tuple[Section, ...]:
    """Return the sections of ``text``: one per heading, and what stands before the first.

    ``headings`` and ``atomic`` ascend; an atomic range that a heading cuts in two is none.
    A heading closes every open heading of its own or a lower rank, so a skipped rank is no
    fault. A heading without a name closes and adds nothing to the path.
    """
    sections: list[Section] = []
    atomic = uncut(atomic, headings)
    starts = [start for start, _ in atomic]

    def add(start: int, end: int, path: tuple[str, ...], body_start: int | None) -> None:
        if start == end:
            return
        inside = atomic[bisect_left(starts, start) : bisect_left(starts, end)]
        sections.append(
            Section(
                start=start,
                end=end,
                heading_path=path,
                atomic=tuple(inside),
                body_start=body_start,
            )
        )

    first = headings[0].start if headings else len(text)
    if front_matter_end:
        add(0, front_matter_end, (), front_matter_end)
    add(front_matter_end, first, (), None)

    open_headings: list[Heading] = []
    for position, heading in enumerate(headings):
        last = position + 1 == len(headings)
        end = len(text) if last else headings[position + 1].start
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        path = tuple(shortened(item.name) for item in open_headings if item.name)
        add(heading.start, end, path, heading.body_start)
    return tuple(sections)


def uncut(ranges: Sequence[tuple[int, int]], headings: Sequence[Heading]) -> list[tuple[int, int]]:
    """Return the ranges inside which no heading begins."""
    starts = [heading.start for heading in headings]
    return [
        (first, last)
        for first, last in ranges
        if bisect_right(starts, first) == bisect_left(starts, last)
    ]


def shortened(name: str) -> str:
    """Return a heading's name on one line, cut with an ellipsis at ``MAX_HEADING_CHARS``."""
    name = " ".join(name.split())
    return name if len(name) <= MAX_HEADING_CHARS else name[: MAX_HEADING_CHARS - 1] + "…"
