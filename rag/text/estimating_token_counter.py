"""A token count without a vocabulary: never meant to be exact, meant not to be too low."""

from __future__ import annotations

import math

from rag.text.token_counter import longest_prefix


class EstimatingTokenCounter:
    """Estimates conservatively by script and character class; needs no file and no network."""

    name = "estimate"

    def count(self, text: str, /) -> int:
        if text.isascii():
            return math.ceil(len(text) / 3)
        return math.ceil(len(text.encode("utf-8", "surrogatepass")) / 2.2)

    def prefix(self, text: str, max_tokens: int, /) -> int:
        return longest_prefix(self.count, text, max_tokens)
