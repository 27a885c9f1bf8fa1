"""Gives a batch of chunks their vectors: from the cache where known, else from the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rag.embedding import Embedder, VectorCache, covers
from rag.ingest.index_text import index_text
from rag.ingest.records import Chunk

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChunkVectors:
    """Vectors by chunk id, shape ``(dimensions,)`` each, and where they came from."""

    by_chunk: dict[str, Vector] = field(default_factory=dict)
    embedded: int = 0
    from_cache: int = 0
    not_covered: int = 0


class ChunkEmbedder:
    """Embeds chunks under their headings; a chunk outside the embedder's scripts gets no vector.

    Equal content is embedded once, within a batch and, through the cache, across runs.
    """

    def __init__(self, embedder: Embedder | None, cache: VectorCache | None) -> None:
        self._embedder = embedder
        self._cache = cache

    def vectors(self, titled: Sequence[tuple[str, Chunk]]) -> ChunkVectors:
        """Return the vectors of chunks, each given with its document's title.

        Raises:
            EmbeddingError: the model failed; nothing was kept of this batch.
        """
        embedder = self._embedder
        if embedder is None:
            return ChunkVectors()
        texts = {
            chunk.content_hash: index_text(title, chunk.heading_path, chunk.text)
            for title, chunk in titled
        }
        covered = {key for key, text in texts.items() if covers(embedder.scripts, text)}
        known: dict[str, Vector] = {}
        if self._cache is not None:
            known = dict(self._cache.get_many(embedder.identity, sorted(covered)))
        missing = [key for key in texts if key in covered and key not in known]
        fresh: dict[str, Vector] = {}
        if missing:
            rows = embedder.embed_documents([texts[key] for key in missing])
            fresh = dict(zip(missing, rows, strict=True))
            if self._cache is not None:
                self._cache.put_many(embedder.identity, fresh)
        found = known | fresh
        by_chunk = {
            chunk.chunk_id: found[chunk.content_hash]
            for _, chunk in titled
            if chunk.content_hash in found
        }
        cached = sum(chunk.content_hash in known for _, chunk in titled)
        return ChunkVectors(
            by_chunk=by_chunk,
            embedded=len(by_chunk) - cached,
            from_cache=cached,
            not_covered=len(titled) - len(by_chunk),
        )
