"""The verbatim window of a text that holds most of a query's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.text.analyzer import Analyzer


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A verbatim part of a text: ``text == source[start:end]``.

    ``matches`` are character ranges (start, end) inside ``text`` where query words stand.
    """

    text: str
    start: int
    end: int
    matches: tuple[tuple[int, int], ...] = ()


def make_snippet(text: str, terms: Sequence[str], analyzer: Analyzer, max_chars: int) -> Snippet:
    """Return the densest window of at most ``max_chars`` characters."""
    wanted = set(terms)
    found = [(t.start, t.end) for t in analyzer.tokens(text) if t.term in wanted]
    start = max(0, found[0][0] - 20) if found else 0
    end = min(len(text), start + max_chars)
    merged: list[tuple[int, int]] = []
    for a, b in sorted(found):
        if b > end:
            break
        if merged and a - start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], b - start))
        else:
            merged.append((a - start, b - start))
    return Snippet(text=text[start:end], start=start, end=end, matches=tuple(merged))
