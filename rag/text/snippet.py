"""The verbatim window of a text that holds most of a query's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.errors import InvalidArgumentError
from rag.text.analyzer import Analyzer
from rag.text.boundaries import line_or_sentence_end, line_or_sentence_start, whole_character
from rag.text.term_places import find_places


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A verbatim part of a text: ``text == source[start:end]``.

    ``matches`` are character ranges (start, end) inside ``text`` where query words stand, in
    order and apart from each other.
    """

    text: str
    start: int
    end: int
    matches: tuple[tuple[int, int], ...] = ()


_SPACE = re.compile(r"\s")
_LEAD_IN = 3  # the part of the room left, as a divisor, that goes before the first match


def make_snippet(text: str, terms: Sequence[str], analyzer: Analyzer, max_chars: int) -> Snippet:
    """Return the densest window of at most ``max_chars`` characters.

    The window with most distinct terms wins, then the one where they stand closest, then the
    earliest. It begins and ends at a line, sentence or word boundary where one is near. Without
    any match it is the beginning of the text.

    Args:
        text: The text to show a part of.
        terms: Terms of a query, as ``analyzer.query_terms`` gives them.
        analyzer: The analyser that made them.
        max_chars: Most characters of the snippet, at least 1.

    Raises:
        InvalidArgumentError: ``max_chars`` is below 1.
    """
    if max_chars < 1:
        raise InvalidArgumentError(
            f"max_chars must be at least 1, got {max_chars}", given=max_chars, allowed="1 or more"
        )
    places = find_places(text, terms, analyzer)
    start, end = 0, len(text.rstrip())  # blank lines at the end are on no line of a citation
    if end > max_chars:
        core = _densest(places, max_chars) if places else (0, 0)
        start, end = _framed(text, core, max_chars)
    matches: list[tuple[int, int]] = []
    for first, last, _ in places:
        if first >= end or last <= start:
            continue
        low, high = max(first, start) - start, min(last, end) - start
        if matches and low <= matches[-1][1]:
            if high > matches[-1][1]:
                matches[-1] = (matches[-1][0], high)
        else:
            matches.append((low, high))
    return Snippet(text=text[start:end], start=start, end=end, matches=tuple(matches))


def _densest(places: list[tuple[int, int, int]], max_chars: int) -> tuple[int, int]:
    """Return the range with most distinct terms in at most ``max_chars``, the closest of those."""
    inside: dict[int, int] = {}
    most, closest = 0, max_chars + 1
    best = places[0][:2]
    left = 0
    for right, (_, end, term) in enumerate(places):
        inside[term] = inside.get(term, 0) + 1
        while left < right and (end - places[left][0] > max_chars or inside[places[left][2]] > 1):
            leaving = places[left][2]
            inside[leaving] -= 1
            if not inside[leaving]:
                del inside[leaving]
            left += 1
        start = places[left][0]
        if (len(inside), -(end - start)) > (most, -closest):
            most, closest = len(inside), end - start
            best = start, end
    return best


def _framed(text: str, core: tuple[int, int], max_chars: int) -> tuple[int, int]:
    """Return a range of at most ``max_chars`` around ``core`` with readable ends."""
    first, last = core
    room = max(0, max_chars - (last - first))
    start = max(0, first - room)
    if start:
        sentence = line_or_sentence_start(text, start, first)
        if sentence is None:
            start = first - room // _LEAD_IN
            word = _SPACE.search(text, start, first)
            start = word.end() if word else whole_character(text, start)
        else:
            start = sentence
    while start < first and text[start].isspace():
        start += 1
    end = min(len(text), start + max_chars)
    if end < len(text):
        least = max(last, start + max_chars // 2)
        sentence = line_or_sentence_end(text, least, end)
        if sentence is not None:
            end = sentence
        else:
            blank = max(text.rfind(" ", last, end + 1), text.rfind("\n", last, end + 1))
            end = blank if blank > start else whole_character(text, end, least=start + 1)
    while end > max(last, start + 1) and text[end - 1].isspace():
        end -= 1
    return start, end
