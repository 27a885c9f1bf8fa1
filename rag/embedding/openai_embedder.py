"""Any server that speaks OpenAI's ``/v1/embeddings``: OpenAI, Ollama, vLLM, TEI and others."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from rag.embedding.checked_vectors import checked_vector, checked_vectors
from rag.embedding.embeddings_endpoint import EmbeddingsEndpoint, Patience
from rag.embedding.protocol import EmbedderIdentity
from rag.text import Script, clean_text

MAX_CHARS = 32_768  # servers refuse or cut at 512 to 8,192 tokens of about 4 characters
BATCH_SIZE = 64
REQUESTS_AT_ONCE = 4  # hides the network's latency; more would meet rate limits
TIMEOUT_S = 60.0
FUSION_WEIGHT = 1.0  # nothing is known of the model; equal weights are the usual start
FOR_DOCUMENTS = Patience(attempts=6, longest_wait_s=60.0)  # an ingest may wait out a rate limit
FOR_QUERIES = Patience(attempts=2, longest_wait_s=1.0)  # somebody is waiting for the answer
PROBE = "dimensions"


class OpenAIEmbedder:
    """Asks a server for vectors; nothing is loaded here.

    The revision cannot be known from outside, so the identity is the model's name, and a hash of
    the document prefix if there is one. Where ``dimensions`` is not given, the first look at the
    identity asks the server.

    Args:
        base_url: Up to and with ``/v1``: ``http://localhost:11434/v1``.
        model: The model's name at that server.
        dimensions: Length of its vectors; None to learn it from the first answer.
        api_key_env: Environment variable that holds the key; unset or empty sends none.
        batch_size: Texts per request.
        timeout_s: How long one request may take, in seconds.
        workers: Requests at a time; None for 4.
        scripts: Scripts the model reads; None for all.
        query_prefix: Put before every query.
        document_prefix: Put before every document.
        fusion_weight: Default weight of the vector channel in a fusion.

    Raises:
        ConfigError: ``base_url`` is no URL for this, or holds a password.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimensions: int | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        batch_size: int = BATCH_SIZE,
        timeout_s: float = TIMEOUT_S,
        workers: int | None = None,
        scripts: frozenset[Script] | None = None,
        query_prefix: str = "",
        document_prefix: str = "",
        fusion_weight: float = FUSION_WEIGHT,
    ) -> None:
        self._endpoint = EmbeddingsEndpoint(
            base_url=base_url, model=model, api_key_env=api_key_env, timeout_s=timeout_s
        )
        self._model = model
        self._dimensions = dimensions
        self._learning = threading.Lock()
        self._batch_size = batch_size
        self._query_prefix = query_prefix
        self._document_prefix = document_prefix
        self._pool = ThreadPoolExecutor(workers or REQUESTS_AT_ONCE, thread_name_prefix="rag-embed")
        self.scripts = scripts
        self.fusion_weight = fusion_weight

    @property
    def identity(self) -> EmbedderIdentity:
        """Who this is; asks the server once if the vectors' length is not known yet.

        Raises:
            EmbedderUnavailableError: the server had to be asked and cannot be used.
        """
        with self._learning:
            if self._dimensions is None:
                self._dimensions = len(self._endpoint.embed([PROBE], patience=FOR_QUERIES)[0])
        prefix = self._document_prefix
        return EmbedderIdentity(
            name=self._model,
            revision=f"api-{_short_hash(prefix)}" if prefix else "api",
            dimensions=self._dimensions,
        )

    def embed_documents(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        inputs = [_input(self._document_prefix + text) for text in texts]
        identity = self.identity
        batches = [
            inputs[start : start + self._batch_size]
            for start in range(0, len(inputs), self._batch_size)
        ]
        answers = self._pool.map(
            lambda batch: self._endpoint.embed(batch, patience=FOR_DOCUMENTS), batches
        )
        rows = [row for answer in answers for row in answer]
        return checked_vectors(rows, count=len(texts), identity=identity)

    def embed_query(self, text: str, /) -> NDArray[np.float32]:
        identity = self.identity
        (row,) = self._endpoint.embed([_input(self._query_prefix + text)], patience=FOR_QUERIES)
        return checked_vector(row, identity=identity)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._endpoint.close()


def _input(text: str) -> str:
    """Return the text as it is sent; servers refuse an empty one, and a space is none."""
    return clean_text(text[:MAX_CHARS]) or " "


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
