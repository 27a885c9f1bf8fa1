"""Exact counts for OpenAI's byte-pair encodings, from the vocabularies in ``bpe-openai``."""

from __future__ import annotations

from typing import Literal

# The compiled tokeniser itself: the package's own Encoding first builds tables of every token in
# Python, and refuses texts of a million characters.
from bpe_openai import _bindings

from rag.text.normalise import clean_text
from rag.text.token_counter import longest_prefix


class BpeTokenCounter:
    """Counts as ``o200k_base`` or ``cl100k_base`` would, special-token texts as plain text."""

    def __init__(self, encoding: Literal["o200k", "cl100k"]) -> None:
        self.name: str = encoding
        self._tokenizer = _bindings.tokenizer_for_encoding(f"{encoding}_base")

    def count(self, text: str, /) -> int:
        return int(self._tokenizer.count(clean_text(text)))

    def prefix(self, text: str, max_tokens: int, /) -> int:
        return longest_prefix(self.count, text, max_tokens)
