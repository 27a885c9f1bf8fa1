"""The channel of vectors: exact cosines, by way of an index where the base is large."""

from __future__ import annotations

import json
import math

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
from rag.stores.local.cosine import best_cosines, exact_cosines
from rag.stores.local.engine import LocalEngine, View
from rag.stores.local.scope import scope
from rag.stores.local.top import top_positions
from rag.stores.local.vector_index import OVERSAMPLING, Build, VectorIndex
from rag.stores.local.vector_matrix import parse_vectors
from rag.stores.records import StoreQuery
from rag.stores.settled_cosines import settle_cosines
from rag.text import Analyzer, make_snippet

FEW = 4_096  # passing vectors that are read and compared one by one instead of by the index
HEADROOM = 1.3  # asked of the index beyond what passes by proportion

_Cosines = tuple[NDArray[np.int64], NDArray[np.float64]]  # positions and their cosines


class VectorRetriever:
    """Ranks the chunks that have a vector by their cosine with the query vector.

    Args:
        engine: The store.
        index: The derived index of a large base; None searches exactly at any size.
        analyzer: Makes the snippets; None leaves them out.
    """

    channel = Channel.VECTOR

    def __init__(
        self,
        engine: LocalEngine,
        index: VectorIndex | None = None,
        analyzer: Analyzer | None = None,
    ) -> None:
        self._engine = engine
        self._index = index
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
            cosines = settle_cosines(cosines)
            order = top_positions(
                cosines, np.arange(len(positions)), table.id_keys[positions], query.candidates
            )
            rows = table.rows[positions[order]].tolist()
            chunks = self._engine.catalog.chunks_by_row(view.connection, view.state.store_id, rows)
        terms = self._analyzer.query_terms(query.text) if self._analyzer else []
        return tuple(
            SearchHit(
                chunk=chunks[row],
                rank=rank,
                score=cosine,
                score_label=ScoreLabel.DENSE,
                score_kind=ScoreKind.COSINE,
                retrieval=RetrievalDetail(method="vector", vector_score=cosine, vector_rank=rank),
                snippet=make_snippet(chunks[row].text, terms, self._analyzer, query.snippet_chars)
                if self._analyzer
                else None,
            )
            for rank, (row, cosine) in enumerate(zip(rows, cosines[order].tolist(), strict=True), 1)
        )

    def _nearest(
        self, view: View, vector: NDArray[np.float32], passing: NDArray[np.bool_], depth: int
    ) -> _Cosines:
        """Return positions that may be among the ``depth`` best, with their exact cosines."""
        build = self._index.current(view) if self._index else None
        indexed = None if build is None else self._from_index(view, build, vector, passing, depth)
        after_row = 0 if build is None or indexed is None else build.up_to_row
        matrix = self._engine.matrices.matrix(view.connection, view.table, after_row=after_row)
        exact = best_cosines(matrix.blocks, vector, passing, depth)
        if indexed is None:
            return exact
        return np.concatenate([indexed[0], exact[0]]), np.concatenate([indexed[1], exact[1]])

    def _from_index(
        self,
        view: View,
        build: Build,
        vector: NDArray[np.float32],
        passing: NDArray[np.bool_],
        depth: int,
    ) -> _Cosines | None:
        """Return the best of the indexed vectors; None where the index cannot be used."""
        assert self._index is not None  # it gave the build
        table = view.table
        end = int(np.searchsorted(table.rows, build.up_to_row, side="right"))
        allowed = np.flatnonzero(passing[:end])
        wanted = min(len(allowed), OVERSAMPLING * depth)
        limit = math.ceil(HEADROOM * wanted * build.rows / max(1, len(allowed)))
        if len(allowed) <= max(FEW, limit):  # the index would have to give more than these
            return _compared(view, allowed, vector)
        while True:
            rows = self._index.nearest(build, vector, min(limit, build.rows))
            if rows is None:
                return None
            found = table.positions(rows)
            found = found[passing[found]]
            if len(found) >= wanted or limit >= build.rows:
                return _compared(view, found[:wanted], vector)
            limit *= 4  # what passes lies far from the query


def _compared(view: View, positions: NDArray[np.int64], vector: NDArray[np.float32]) -> _Cosines:
    """Return those of the positions that have a vector, with their exact cosines."""
    rows = view.table.rows[positions]
    fetched = view.connection.execute(
        "SELECT row, vector FROM vectors WHERE row IN (SELECT value FROM json_each(?))",
        (json.dumps(rows.tolist()),),
    ).fetchall()
    if not fetched:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
    there = np.array([row for row, _ in fetched], dtype=np.int64)
    vectors = parse_vectors([blob for _, blob in fetched])
    return view.table.positions(there), exact_cosines(vectors, vector)


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
