"""Token counters by the name that a setting gives them."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from rag.errors import ConfigError, MissingExtraError
from rag.text.estimating_token_counter import EstimatingTokenCounter
from rag.text.token_counter import TokenCounter

_BPE_ENCODINGS = ("o200k", "cl100k")


def make_token_counter(name: str) -> TokenCounter:
    """Return the counter called ``estimate``, ``o200k``, ``cl100k``, or of a tokenizer.json.

    Raises:
        ConfigError: the name is unknown, or the path holds no tokenizer.
        MissingExtraError: the counter's package is not installed.
    """
    if name == EstimatingTokenCounter.name:
        return EstimatingTokenCounter()
    # Modules by name, because each brings a heavy package that others do without.
    if name in _BPE_ENCODINGS:
        try:
            module = import_module("rag.text.bpe_token_counter")
        except ModuleNotFoundError as error:
            if error.name is None or not error.name.startswith("bpe_openai"):
                raise
            raise MissingExtraError(
                f"token counter {name!r} needs the package bpe-openai",
                given=name,
                hint="pip install 'rag-evidence[bpe]'",
            ) from None
        return cast("TokenCounter", module.BpeTokenCounter(name))
    if name.endswith(".json"):
        module = import_module("rag.text.tokenizer_file_counter")
        return cast("TokenCounter", module.TokenizerFileCounter(name))
    raise ConfigError(
        f"unknown token counter {name!r}",
        given=name,
        allowed="estimate, o200k, cl100k, or the path of a tokenizer.json",
        hint="set evidence.token_counter to one of them",
    )
