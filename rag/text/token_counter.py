"""What counts tokens for a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class TokenCounter(Protocol):
    """Counts the tokens of a text for some model, or estimates them.

    Special-token texts such as ``<|endoftext|>`` count as the text they are; lone surrogates and
    NUL never raise. Every result that a counter helped to make carries its ``name``.
    Safe to call from several threads.
    """

    name: str

    def count(self, text: str, /) -> int:
        """Return the number of tokens, 0 for the empty text and at least 1 for any other."""
        ...

    def prefix(self, text: str, max_tokens: int, /) -> int:
        """Return the length in characters of a long prefix that counts at most ``max_tokens``.

        ``count(text[:prefix(text, n)]) <= n`` always holds. The prefix is the longest where counts
        never fall as a text grows, and near to it otherwise. ``max_tokens`` below 1 gives 0.
        """
        ...


_FIRST_STEP = 4  # characters a token of English has on average; only where the search begins


def longest_prefix(count: Callable[[str], int], text: str, max_tokens: int) -> int:
    """Return the length of a prefix that ``count`` finds to be at most ``max_tokens``.

    Doubles its step until the prefix is too long, then bisects: about ``log2`` counts, none of
    them much longer than the answer.
    """
    if max_tokens < 1:
        return 0
    fits, beyond = 0, min(len(text), _FIRST_STEP * max_tokens)
    while count(text[:beyond]) <= max_tokens:
        fits = beyond
        if beyond == len(text):
            return fits
        beyond = min(len(text), 2 * beyond)
    while beyond - fits > 1:
        middle = (fits + beyond) // 2
        if count(text[:middle]) <= max_tokens:
            fits = middle
        else:
            beyond = middle
    return fits
