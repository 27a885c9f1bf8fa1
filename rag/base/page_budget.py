"""Fits a page of hits into a token budget: shorter snippets first, then fewer hits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.errors import InvalidArgumentError
from rag.errors.rag_error import in_words
from rag.retrieval.records import MAX_TOKENS
from rag.text import TokenCounter
from rag.wire.encoding import to_json
from rag.wire.search_response import ResultHit

SHORTEST_SNIPPET = 60  # characters: some ten words, the least that shows why a hit is one

Hits = Sequence[ResultHit]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPage:
    """The hits that fit, what they take in tokens, and whether anything was shortened or left."""

    hits: tuple[ResultHit, ...]
    tokens: int
    truncated: bool


def fit_page(
    hits: Hits,
    with_snippets: Callable[[int], Hits],
    *,
    snippet_chars: int,
    max_tokens: int,
    counter: TokenCounter,
) -> FittedPage:
    """Return as many hits as ``max_tokens`` hold, from the first on.

    The budget bounds the hits as they are emitted: their compact JSON, joined by commas.
    Snippets are halved down to 60 characters until the whole page fits; only where even those
    are too long do hits go, from the end. A budget of 0 holds nothing.

    Args:
        hits: The page, with snippets of at most ``snippet_chars`` characters.
        with_snippets: Gives the same page with snippets of at most so many characters.
        snippet_chars: The snippet length to begin with.
        max_tokens: The budget, at least 0.
        counter: What counts.
    """
    chars = snippet_chars
    while (tokens := counter.count(_emitted(hits))) > max_tokens and chars > SHORTEST_SNIPPET:
        chars = max(SHORTEST_SNIPPET, chars // 2)
        hits = with_snippets(chars)
    if tokens <= max_tokens:
        return FittedPage(hits=tuple(hits), tokens=tokens, truncated=chars < snippet_chars)
    kept = bisect_right(
        range(1, len(hits)), max_tokens, key=lambda n: counter.count(_emitted(hits[:n]))
    )
    # counts may fall by a little as a text grows, so what the bisection gives is checked
    while (tokens := counter.count(_emitted(hits[:kept]))) > max_tokens:
        kept -= 1
    return FittedPage(hits=tuple(hits[:kept]), tokens=tokens, truncated=True)


def checked_max_tokens(value: object) -> int:
    """Return the budget, a whole number in 0..1,000,000; raises InvalidArgumentError."""
    if type(value) is not int or not 0 <= value <= MAX_TOKENS:
        allowed = f"a whole number from 0 to {MAX_TOKENS:,}"
        raise InvalidArgumentError(
            f"max_tokens must be {allowed}; got {in_words(value, limit=80)}",
            given=value,
            allowed=allowed,
        )
    return value


def _emitted(hits: Hits) -> str:
    return ",".join(map(to_json, hits))
