"""The channel of vectors: cosine over the chunks that have one."""

from __future__ import annotations

import numpy as np

from rag.ranking.records import Channel, SearchHit
from rag.stores.milvus.candidates import candidate_fields, ranked, with_chunks
from rag.stores.milvus.index import MilvusIndex
from rag.stores.milvus.row_maker import checked_vector
from rag.stores.milvus.schema import DENSE
from rag.stores.records import StoreQuery
from rag.stores.settled_cosines import settle_cosines


class MilvusVectorRetriever:
    """Ranks chunks by cosine; equal vectors tie, see ``settle_cosines``.

    A chunk without a vector is never returned.

    Args:
        complete: As in ``MilvusLexicalRetriever``.

    ``search`` also raises:
        EmbeddingDimensionError: the query vector has another length than the index.
        InvalidVectorError: it is zero or holds NaN or infinity (Milvus would return NaN scores).
    """

    channel = Channel.VECTOR

    def __init__(self, index: MilvusIndex, *, complete: bool = True) -> None:
        self._index = index
        self._complete = complete

    def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
        embedder = self._index.manifest.embedder
        if query.vector is None or embedder is None:
            return ()
        vector = checked_vector(query.vector, embedder.dimensions)
        visible = self._index.visible(self._index.ledger.state, query.filters)
        (hits,) = self._index.search(
            DENSE,
            [vector.tolist()],
            visible.add("has_vector == true").build(),
            limit=query.candidates,
            fields=candidate_fields(query.filters),
            timeout_s=query.timeout_s,
        )
        cosines = settle_cosines(np.array([hit["distance"] for hit in hits], dtype=np.float64))
        rows = [hit["entity"] for hit in hits]
        found = ranked(self.channel, zip(cosines.tolist(), rows, strict=True))
        return with_chunks(found, self._index) if self._complete else found

    def index_version(self) -> str:
        return self._index.version()
