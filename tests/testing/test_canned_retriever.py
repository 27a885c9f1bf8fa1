"""The shipped double keeps the contract that it stands in for."""

from __future__ import annotations

import pytest

from rag.errors import StoreError
from rag.ranking import Channel, ScoreKind, ScoreLabel
from rag.stores.filters import SearchFilter
from rag.stores.records import StoreQuery
from rag.testing.canned_retriever import CannedRetriever, canned_chunk

ROWS = [(canned_chunk(name, tags=(name,)), score) for name, score in (("a", 2.0), ("b", None))]


def test_it_returns_the_given_ranking_under_its_channels_labels():
    for channel, label, kind in (
        (Channel.LEXICAL, ScoreLabel.HYBRID, ScoreKind.BM25),
        (Channel.VECTOR, ScoreLabel.DENSE, ScoreKind.COSINE),
    ):
        hits = CannedRetriever(channel, ROWS).search(StoreQuery(text="q", k=1, offset=5))
        assert [(h.chunk, h.score, h.rank) for h in hits] == [
            (chunk, score, rank) for rank, (chunk, score) in enumerate(ROWS, 1)
        ]
        assert {(h.score_label, h.score_kind) for h in hits} == {(label, kind)}


def test_it_filters_before_it_ranks_and_stops_at_the_candidates():
    canned = CannedRetriever(Channel.VECTOR, ROWS)
    (hit,) = canned.search(StoreQuery(text="q", filters=SearchFilter(tags=("b",))))
    assert (hit.chunk.title, hit.rank) == ("b", 1)
    assert len(canned.search(StoreQuery(text="q", candidates=1))) == 1
    assert len(canned.queries) == 2


def test_it_raises_what_it_is_told_to():
    with pytest.raises(StoreError, match="gone"):
        CannedRetriever(Channel.VECTOR, ROWS, error=StoreError("gone")).search(StoreQuery(text="q"))


def test_names_make_distinct_canonical_chunks():
    a, b = canned_chunk("a"), canned_chunk("b")
    assert a == canned_chunk("a")
    assert len({a.chunk_id, b.chunk_id, a.doc_id, b.doc_id}) == 4
    assert all(len(one) == 32 and int(one, 16) for one in (a.chunk_id, a.doc_id))
    assert canned_chunk("a", text="x").content_hash != a.content_hash
