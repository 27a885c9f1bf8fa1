"""The channel of vectors: exact cosines, by way of an index where the base is large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rag.errors import EmbeddingDimensionError, InvalidVectorError
from rag.ranking.records import (
    Channel,
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
)
from rag.stores.local.cosine import best_cosines
from rag.stores.local.engine import LocalEngine, View
from rag.stores.local.scope import scope
from rag.stores.local.top import top_positions
from rag.stores.records import StoreQuery
from rag.text import Analyzer, make_snippet


class VectorRetriever:
    """Ranks the chunks that have a vector by their cosine with the query vector.

    Args:
        engine: The store.
        analyzer: Makes the snippets; None leaves them out.
    """

    channel = Channel.VECTOR

    def __init__(self, engine: LocalEngine, analyzer: Analyzer | None = None) -> None:
        self._engine = engine
        self._analyzer = analyzer

    def index_version(self) -> str:
        return self._engine.index_version()

    def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
        if query.vector is None:
            return ()
        with self._engine.view() as view:
            vector = _checked(query.vector, view)
            if vector is None:
                return ()
            table = view.table
            passing = scope(view.connection, table, query.filters)
            positions, cosines = self._nearest(view, vector, passing, query.candidates)
            order = top_positions(
                cosines, np.arange(len(positions)), table.id_keys[positions], query.candidates
            )
            rows = table.rows[positions[order]].tolist()
            chunks = self._engine.catalog.chunks_by_row(
                view.connection, view.state.store_id, rows
            )
        terms = self._analyzer.query_terms(query.text) if self._analyzer else []
        return tuple(
            SearchHit(
                chunk=chunks[row],
                rank=rank,
                score=cosine,
                score_label=ScoreLabel.DENSE,
                score_kind=ScoreKind.COSINE,
                retrieval=RetrievalDetail(method="vector", vector_score=cosine, vector_rank=rank),
                snippet=make_snippet(
                    chunks[row].text, terms, self._analyzer, query.snippet_chars
                )
                if self._analyzer
                else None,
            )
            for rank, (row, cosine) in enumerate(
                zip(rows, cosines[order].tolist(), strict=True), 1
            )
        )

    def _nearest(
        self, view: View, vector: NDArray[np.float32], passing: NDArray[np.bool_], depth: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        matrix = self._engine.matrices.matrix(view.connection, view.table, after_row=0)
        return best_cosines(matrix.blocks, vector, passing, depth)


def _checked(vector: NDArray[np.float32], view: View) -> NDArray[np.float32] | None:
    """Return the query vector as a row of the index's length; None where the index has none."""
    if view.state.embedder is None or not view.state.vectors:
        return None
    dimensions = view.state.embedder.dimensions
    if vector.shape != (dimensions,):
        raise EmbeddingDimensionError(
            f"the query vector has shape {vector.shape}; the index holds {dimensions} dimensions",
            given=str(vector.shape),
            allowed=f"shape ({dimensions},)",
            hint="embed the query with the model that built the index",
        )
    if not np.isfinite(vector).all() or not vector.any():
        raise InvalidVectorError(
            "the query vector is zero or holds NaN or infinity",
            allowed="a finite vector of length 1",
        )
    return np.ascontiguousarray(vector, dtype=np.float32)
