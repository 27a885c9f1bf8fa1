"""The two channels by themselves keep the retriever contract."""

from __future__ import annotations

import logging

import pytest

from rag.ranking import ReciprocalRankFusion
from rag.ranking.records import Channel, ScoreKind, ScoreLabel, SearchMode
from rag.stores.hybrid_retriever import HybridRetriever
from rag.stores.local import LexicalRetriever, VectorRetriever
from rag.stores.local.bm25 import Bm25
from rag.stores.local.engine import LocalEngine
from rag.stores.records import StoreQuery
from rag.testing.store_contract_parts.corpus import ANALYZER, EMBEDDER, document
from tests.stores.local.opening import local_store


@pytest.fixture
def channels(folder):
    """Return both channels of a base of thirty chunks."""
    store = local_store(folder)
    store.write_documents(
        [
            document(f"{n}.md", *(f"curlew shore sand{n} part{p}" for p in range(5)))
            for n in range(6)
        ]
    )
    store.close()
    engine = LocalEngine(
        folder,
        analyzer=ANALYZER.version,
        embedder=EMBEDDER.identity,
        readonly=True,
        lock_timeout_s=1.0,
    )
    yield (
        LexicalRetriever(engine, ANALYZER, Bm25()),
        VectorRetriever(engine, analyzer=ANALYZER),
    )
    engine.database.close()


def query(text: str, **options: object) -> StoreQuery:
    """Return a query with its vector."""
    return StoreQuery(text=text, vector=EMBEDDER.embed_query(text), **options)


def test_each_channel_labels_ranks_and_explains_its_hits(channels) -> None:
    labels = [(ScoreLabel.HYBRID, ScoreKind.BM25), (ScoreLabel.DENSE, ScoreKind.COSINE)]
    for channel, (label, kind) in zip(channels, labels, strict=True):
        hits = channel.search(query("curlew sand3"))
        assert [hit.rank for hit in hits] == list(range(1, 31))
        assert {(hit.score_label, hit.score_kind) for hit in hits} == {(label, kind)}
        assert all(type(hit.score) is float for hit in hits)  # a numpy number is no JSON
        for hit in hits:
            said = hit.retrieval
            own = (
                (said.lexical_rank, said.lexical_score)
                if channel.channel is Channel.LEXICAL
                else (said.vector_rank, said.vector_score)
            )
            assert own == (hit.rank, hit.score)
            assert said.fusion_score is None


def test_k_offset_and_mode_change_nothing_and_candidates_do(channels) -> None:
    for channel in channels:
        whole = channel.search(query("curlew sand3"))
        for mode in SearchMode:
            assert channel.search(query("curlew sand3", k=1, offset=7, mode=mode)) == whole
        assert channel.search(query("curlew sand3", candidates=4)) == whole[:4]


def test_snippets_are_verbatim_and_as_long_as_is_asked(channels) -> None:
    for channel in channels:
        for length in (20, 1_000):
            for hit in channel.search(query("sand3", snippet_chars=length)):
                assert hit.snippet is not None
                part = hit.chunk.text[hit.snippet.start : hit.snippet.end]
                assert hit.snippet.text == part
                assert 0 < len(part) <= length


def test_both_channels_name_the_same_index_so_that_nothing_is_warned_of(channels, caplog) -> None:
    lexical, vector = channels
    assert lexical.index_version() == vector.index_version()
    assert str(EMBEDDER.identity) in lexical.index_version()
    hybrid = HybridRetriever(lexical, vector, ReciprocalRankFusion(), parallel=True)
    with caplog.at_level(logging.WARNING):
        assert len(hybrid.search_with_trace(query("curlew")).hits) == 10
    assert caplog.records == []
    hybrid.close()


def test_a_channel_that_is_not_asked_for_anything_finds_nothing(channels) -> None:
    lexical, vector = channels
    assert lexical.search(query("?!")) == ()
    assert not lexical.has_terms("?!")
    assert vector.search(StoreQuery(text="curlew")) == ()
