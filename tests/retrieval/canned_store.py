"""A store over two canned channels, and an embedder that counts its calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rag.embedding.protocol import EmbedderIdentity
from rag.ranking import Channel, ReciprocalRankFusion, StoredChunk
from rag.stores.hybrid_retriever import HybridRetriever
from rag.stores.records import Manifest, StoreQuery, StoreResponse, StoreStats
from rag.testing.canned_retriever import CannedRetriever
from rag.text import Script

Row = tuple[StoredChunk, float | None]


class CannedStore:
    """The part of a store that a search touches."""

    def __init__(self, words: Iterable[Row] = (), dense: Iterable[Row] = ()) -> None:
        self.words = CannedRetriever(Channel.LEXICAL, tuple(words))
        self.dense = CannedRetriever(Channel.VECTOR, tuple(dense))
        self.current = "r1"
        self.chunk_count = len(self.words.ranking)
        self.queries: list[StoreQuery] = []
        self._hybrid = HybridRetriever(
            self.words, self.dense, ReciprocalRankFusion(), parallel=False
        )

    def search(self, query: StoreQuery) -> StoreResponse:
        self.queries.append(query)
        return self._hybrid.search_with_trace(query).response(self.current)

    def stats(self) -> StoreStats:
        return StoreStats(
            backend="canned",
            uri="canned:",
            documents=self.chunk_count,
            chunks=self.chunk_count,
            chunks_with_vector=self.chunk_count,
            revision=self.current,
            manifest=Manifest(schema_version=1, analyzer="canned", embedder=None, created_at=""),
        )


class CountingEmbedder:
    """Gives every query the same vector, or the error or vector it was told to give."""

    identity = EmbedderIdentity(name="counting", revision="1", dimensions=2)
    fusion_weight = 1.0

    def __init__(
        self,
        *,
        scripts: frozenset[Script] | None = None,
        error: Exception | None = None,
        gives: Sequence[float] = (1.0, 0.0),
    ) -> None:
        self.scripts = scripts
        self.error = error
        self.gives = gives
        self.asked: list[str] = []

    def embed_query(self, text: str, /) -> NDArray[np.float32]:
        self.asked.append(text)
        if self.error is not None:
            raise self.error
        return np.array(self.gives, dtype=np.float32)

    def embed_documents(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        return np.array([self.embed_query(text) for text in texts], dtype=np.float32)

    def close(self) -> None:
        """Nothing to free."""
