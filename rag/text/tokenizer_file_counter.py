"""Exact counts for any model whose ``tokenizer.json`` is at hand."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

from rag.errors import ConfigError
from rag.platform.at_path import at_path, home_path
from rag.text.normalise import clean_text
from rag.text.token_counter import longest_prefix


class TokenizerFileCounter:
    """Counts with a Hugging Face ``tokenizer.json``, without truncation, padding or added tokens.

    Raises:
        ConfigError: there is no such file, or it is no tokenizer.
    """

    def __init__(self, path: Path | str) -> None:
        file = home_path(path)
        if not at_path(file).is_file:
            raise ConfigError(
                f"no tokenizer file at {file}",
                given=str(path),
                allowed="the path of a Hugging Face tokenizer.json",
                hint="set evidence.token_counter to estimate, o200k, cl100k or such a path",
            )
        try:
            tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # noqa: BLE001  # tokenizers raises bare Exception only
            raise ConfigError(
                f"{file} is not a tokenizer: {error}",
                given=str(path),
                allowed="a Hugging Face tokenizer.json",
            ) from None
        # Published files carry both, and either would make a count wrong.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.name = str(path)
        self._tokenizer = tokenizer

    def count(self, text: str, /) -> int:
        return len(self._tokenizer.encode(clean_text(text), add_special_tokens=False))

    def prefix(self, text: str, max_tokens: int, /) -> int:
        return longest_prefix(self.count, text, max_tokens)
