"""Opening, identity, health, closing."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from rag.embedding.protocol import EmbedderIdentity
from rag.errors import EmbeddingError, IndexIdentityMismatchError, StoreError
from rag.ingest.records import Source, Trust
from rag.ranking.records import Channel, SearchMode
from rag.stores.protocol import KnowledgeStore
from rag.stores.records import ChannelStatus
from rag.testing.store_contract_parts.corpus import (
    ANALYZER,
    EMBEDDER,
    OpenStore,
    document,
    document_id,
    search,
    texts,
    uris,
)
from rag.text import Analyzer


class LifecycleContract:
    """What outlives a store, and what it refuses to open."""

    @pytest.mark.scenario("knowledge-stores", "What was written is there after reopening")
    def test_everything_is_there_after_reopening(self, store_factory: OpenStore) -> None:
        store = store_factory("reopened")
        store.write_documents([document("a.md", "lasting words"), document("b.md", "gone words")])
        store.delete_documents([document_id("b.md")])
        store.put_source(Source(name="s", root="/x", trust=Trust.SECONDARY))
        before = (
            search(store, "lasting words").hits,
            store.revision(),
            tuple(store.documents()),
            store.stats(),
            store.sources(),
        )
        store.close()
        store = store_factory("reopened")
        assert before == (
            search(store, "lasting words").hits,
            store.revision(),
            tuple(store.documents()),
            store.stats(),
            store.sources(),
        )
        assert all(line.ok for line in store.check())
        store.close()

    def test_two_stores_of_one_place_see_each_others_writes(self, store_factory: OpenStore) -> None:
        one, other = store_factory("shared_place"), store_factory("shared_place")
        one.write_documents([document("a.md", "from one")])
        assert texts(search(other, "one")) == ["from one"]
        other.write_documents([document("a.md", "from other", generation=2)])
        assert texts(search(one, "other")) == ["from other"]
        assert one.revision() == other.revision()
        one.close()
        assert texts(search(other, "other")) == ["from other"]
        other.close()

    @pytest.mark.scenario("knowledge-stores", "Another model is refused by name")
    def test_an_index_of_another_embedder_is_refused_naming_both(
        self, store_factory: OpenStore
    ) -> None:
        store_factory("identity").close()
        same = EMBEDDER.identity.dimensions
        others = [
            EmbedderIdentity(name="model-b", revision="1", dimensions=768),
            EmbedderIdentity(name="model-c", revision="1", dimensions=same),
            EmbedderIdentity(name=EMBEDDER.identity.name, revision="next", dimensions=same),
        ]
        for other in others:
            with pytest.raises(IndexIdentityMismatchError) as caught:
                store_factory("identity", embedder=other)
            assert str(other) in caught.value.message
            assert str(EMBEDDER.identity) in caught.value.message
            assert caught.value.hint
        store_factory("identity").close()

    def test_an_index_of_another_analyser_is_refused_naming_both(
        self, store_factory: OpenStore
    ) -> None:
        store_factory("analyser").close()
        other = Analyzer("german")
        with pytest.raises(IndexIdentityMismatchError) as caught:
            store_factory("analyser", analyzer=other)
        assert other.version in caught.value.message
        assert ANALYZER.version in caught.value.message

    @pytest.mark.scenario("knowledge-stores", "Words can be searched without the model")
    def test_without_an_embedder_an_index_is_read_by_words_and_not_written(
        self, store_factory: OpenStore
    ) -> None:
        writer = store_factory("readable")
        writer.write_documents([document("a.md", "readable words")])
        writer.close()
        reader = store_factory("readable", embedder=None)
        for mode in (SearchMode.LEXICAL, SearchMode.HYBRID):
            response = search(
                reader, "readable", mode, vector=None, vector_status=ChannelStatus.OFF
            )
            assert uris(response) == ["a.md"]
            assert response.channels[Channel.VECTOR].status is ChannelStatus.OFF
        with pytest.raises(IndexIdentityMismatchError) as caught:
            reader.write_documents([document("b.md", "more", generation=1, vectors=[None])])
        assert str(EMBEDDER.identity) in caught.value.message
        reader.close()

    def test_an_index_made_without_an_embedder_is_one_of_words_alone(
        self, store_factory: OpenStore
    ) -> None:
        store = store_factory("words_alone", embedder=None)
        store.write_documents([document("a.md", "plain words", vectors=[None])])
        response = search(store, "plain", vector=None, vector_status=ChannelStatus.OFF)
        assert uris(response) == ["a.md"]
        assert store.stats().manifest.embedder is None
        assert store.stats().chunks_with_vector == 0
        store.close()
        with pytest.raises(IndexIdentityMismatchError) as caught:
            store_factory("words_alone")
        assert "none" in caught.value.message

    @pytest.mark.parametrize("fault", ["nan", "zero", "short"])
    @pytest.mark.scenario("knowledge-stores", "A query vector without direction is refused")
    def test_an_unusable_query_vector_is_refused(self, store: KnowledgeStore, fault: str) -> None:
        store.write_documents([document("a.md", "x")])
        good = EMBEDDER.embed_query("x")
        bad = {"nan": good * float("nan"), "zero": good * 0, "short": good[:-1]}[fault]
        for mode in (SearchMode.VECTOR, SearchMode.HYBRID):
            with pytest.raises(EmbeddingError):
                search(store, "x", mode, vector=bad)

    def test_sources_are_kept_by_name(self, store: KnowledgeStore) -> None:
        assert store.sources() == ()
        b, a = Source(name="b", root="/b"), Source(name='a "quoted"', source_type="code")
        before = store.revision()
        store.put_source(b)
        store.put_source(a)
        assert store.sources() == (a, b)
        newer = Source(name="b", root="/elsewhere", trust=Trust.GENERATED)
        store.put_source(newer)
        assert store.sources() == (a, newer)
        assert store.revision() == before

    def test_a_sound_store_has_nothing_to_repair(self, store: KnowledgeStore) -> None:
        store.write_documents([document("a.md", "x", "y")])
        lines = store.check()
        assert lines
        assert all(line.ok for line in lines)
        assert store.repair() == ()
        assert texts(search(store, "x", SearchMode.LEXICAL)) == ["x"]

    def test_stats_name_the_store_and_what_it_was_built_with(self, store: KnowledgeStore) -> None:
        stats = store.stats()
        assert stats.backend
        assert stats.uri
        assert stats.manifest.embedder == EMBEDDER.identity
        assert stats.manifest.analyzer == ANALYZER.version
        assert stats.revision == store.revision()

    def test_a_closed_store_says_so_and_may_be_closed_again(self, store_factory: OpenStore) -> None:
        store = store_factory("closed")
        store.close()
        store.close()
        with pytest.raises(StoreError, match="closed"):
            search(store, "x")
        with pytest.raises(StoreError, match="closed"):
            store.write_documents([document("a.md", "x")])
        with pytest.raises(StoreError, match="closed"):
            list(store.documents())

    @pytest.mark.scenario("knowledge-stores", "Thirty-two first questions at once")
    def test_thirty_two_threads_may_open_and_ask_at_once(self, store_factory: OpenStore) -> None:
        first = store_factory("crowd")
        first.write_documents([document("a.md", "crowded words")])
        first.close()
        barrier = threading.Barrier(32)

        def ask(_: int) -> list[str]:
            barrier.wait()
            store = store_factory("crowd")
            found = uris(search(store, "crowded"))
            store.close()
            return found

        with ThreadPoolExecutor(32) as pool:
            assert list(pool.map(ask, range(32))) == [["a.md"]] * 32
