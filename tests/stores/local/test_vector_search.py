"""Vector search is exact, whatever is filtered, written or removed meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from rag.ranking.records import SearchMode
from rag.stores.filters import SearchFilter
from rag.stores.local import vector_matrix
from rag.stores.records import StoreQuery
from rag.testing.store_contract_parts.corpus import EMBEDDER, document, search

DIMENSIONS = EMBEDDER.identity.dimensions


def unit_vectors(count: int, seed: int = 7) -> np.ndarray:
    """Return random unit vectors, shape ``(count, dimensions)``."""
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def by_vector(store, vector, *, k=200, candidates=200, **filters):
    """Return (uri, score) of a vector search."""
    query = StoreQuery(
        text="x",
        mode=SearchMode.VECTOR,
        vector=vector,
        k=k,
        candidates=candidates,
        filters=SearchFilter(**filters),
    )
    return [(hit.chunk.uri, hit.score) for hit in store.search(query).hits]


@pytest.mark.scenario("local-store", "A vector score is the exact cosine")
def test_order_and_scores_are_those_of_comparing_every_vector(store, monkeypatch) -> None:
    monkeypatch.setattr(vector_matrix, "BLOCK_ROWS", 64)
    vectors = unit_vectors(300)
    store.write_documents([document(f"{n}.md", "x", vectors=[v]) for n, v in enumerate(vectors)])
    (query,) = unit_vectors(1, seed=8)
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    best = np.argsort(-cosines)[:200]
    found = by_vector(store, query)
    assert [uri for uri, _ in found] == [f"{n}.md" for n in best]
    assert [score for _, score in found] == pytest.approx(cosines[best].tolist(), abs=1e-6)


@pytest.mark.scenario("local-store", "A selective filter starves no channel")
def test_a_selective_filter_finds_all_that_pass(store) -> None:
    """However far from the query the passing chunks are: filters are no afterthought."""
    vectors = unit_vectors(400)
    query = vectors[0]
    order = np.argsort(-(vectors @ query))
    far = {int(n) for n in order[-20:]}
    store.write_documents(
        [
            document(f"{n}.md", "x", tags=("far",) if n in far else (), vectors=[v])
            for n, v in enumerate(vectors)
        ]
    )
    found = [uri for uri, _ in by_vector(store, query, tags=("far",))]
    assert found == [f"{n}.md" for n in order if n in far]


def test_equal_vectors_come_by_chunk_id_wherever_they_stand(store, monkeypatch) -> None:
    monkeypatch.setattr(vector_matrix, "BLOCK_ROWS", 5)
    (one, *others) = unit_vectors(40)
    writes = []
    for n, other in enumerate(others):
        writes += [
            document(f"same{n}.md", "x", vectors=[one]),
            document(f"o{n}.md", "x", vectors=[other]),
        ]
    store.write_documents(writes)
    hits = search(store, "x", SearchMode.VECTOR, vector=one, k=39).hits
    ids = [hit.chunk.chunk_id for hit in hits]
    assert {hit.score for hit in hits} == {1.0}
    assert ids == sorted(ids)
    fewer = search(store, "x", SearchMode.VECTOR, vector=one, k=39, candidates=10).hits
    assert [hit.chunk.chunk_id for hit in fewer] == ids[:10]


@pytest.mark.scenario("local-store", "A large k meets no limit of the engine")
def test_no_number_of_candidates_meets_a_limit_of_the_engine(store) -> None:
    """SQLite takes 32,766 variables in a statement; none is spent per candidate."""
    vectors = unit_vectors(1)
    store.write_documents(
        [document("a.md", *("word " * 2 for _ in range(3_000)), vectors=[None] * 3_000)]
    )
    store.write_documents([document("b.md", "word", vectors=vectors)])
    for mode in SearchMode:
        query = StoreQuery(
            text="word", mode=mode, vector=vectors[0], k=40_000, offset=2_990, candidates=40_000
        )
        assert len(store.search(query).hits) == (11 if mode is not SearchMode.VECTOR else 0)


def test_a_vector_of_float64_or_in_steps_is_stored_as_it_is_meant(store) -> None:
    wide = np.zeros(2 * DIMENSIONS)
    wide[0] = 1.0
    store.write_documents([document("a.md", "x", vectors=[wide[::2]])])
    query = np.zeros(DIMENSIONS, dtype=np.float32)
    query[0] = 1.0
    assert by_vector(store, query) == [("a.md", 1.0)]
