"""Texts to raw vectors by a local ONNX model, one text per run on a pool of threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rag.embedding.core_count import core_count
from rag.embedding.onnx_session import OnnxSession
from rag.errors import InvalidVectorError
from rag.text import clean_text

CHARS_PER_TOKEN = 40  # generous: English has 4 to 5, and only what a truncation drops is cut


class SentenceEncoder:
    """A tokeniser, a session, and the threads that run them; safe to call from several threads.

    Args:
        session: The model.
        tokenizer: Its tokeniser; padding and truncation are set here, whatever the file says.
        max_tokens: Longer texts are cut to this many tokens, markers included.
        workers: Texts encoded at a time; None for the number of cores.
    """

    def __init__(
        self,
        session: OnnxSession,
        tokenizer: Tokenizer,
        /,
        *,
        max_tokens: int,
        workers: int | None = None,
    ) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_tokens)
        self._session = session
        self._tokenizer = tokenizer
        self._max_chars = max_tokens * CHARS_PER_TOKEN
        self._pool = ThreadPoolExecutor(workers or core_count(), thread_name_prefix="rag-embed")

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._session.dimensions

    def encode_one(self, text: str, /) -> NDArray[np.float32]:
        """Return the raw vector of one text, shape ``(dimensions,)``, in the calling thread.

        Raises:
            EmbeddingError: the model failed.
            InvalidVectorError: the tokeniser finds no token in the text.
        """
        ids = self._tokenizer.encode(clean_text(text[: self._max_chars])).ids
        if not ids:
            raise InvalidVectorError(
                "the model's tokeniser finds no token in the text",
                given=text[:80],
                hint="leave empty texts out, or use a model whose tokeniser adds markers",
            )
        return self._session.run(ids)

    def encode(self, texts: Sequence[str], /) -> list[NDArray[np.float32]]:
        """Return one raw vector per text, in order; raises as :meth:`encode_one`."""
        if len(texts) == 1:
            return [self.encode_one(texts[0])]
        return list(self._pool.map(self.encode_one, texts))

    def close(self) -> None:
        """Stop the threads; texts that wait are dropped."""
        self._pool.shutdown(cancel_futures=True)
