"""Writing: a document is its newest text, whole, at every moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rag.errors import EmbeddingError
from rag.ingest.records import Media, Trust
from rag.ranking.records import SearchMode
from rag.stores.filters import parse_filter
from rag.stores.protocol import KnowledgeStore
from rag.testing.store_contract_parts.corpus import (
    EMBEDDER,
    MODES,
    OpenStore,
    document,
    document_id,
    search,
    texts,
    uris,
)

ROUNDS = 12  # replacements while a reader looks; a moment with neither text shows within a few


class GenerationsContract:
    """Replacing, deleting and reading back."""

    @pytest.mark.scenario("knowledge-stores", "An edited document shows its new text only")
    def test_a_new_generation_replaces_the_old_one_whole(self, store: KnowledgeStore) -> None:
        store.write_documents([document("d.md", "one stays", "two goes", "three goes")])
        store.write_documents([document("d.md", "one stays", "two is new", generation=2)])
        assert [c.text for c in store.chunks(document_id("d.md"))] == ["one stays", "two is new"]
        assert {c.generation for c in store.chunks(document_id("d.md"))} == {2}
        for mode in MODES:
            response = search(store, "one two three goes new stays", mode, k=50)
            assert sorted(texts(response)) == ["one stays", "two is new"], mode
            assert response.ghosts == 0
        stats = store.stats()
        assert (stats.documents, stats.chunks, stats.chunks_with_vector) == (1, 2, 2)
        assert store.unmatched_terms(["three"]) == ("three",)
        assert all(line.ok for line in store.check())

    @pytest.mark.scenario("knowledge-stores", "A reader never sees neither text")
    def test_a_reader_sees_old_or_new_text_and_never_neither(self, store: KnowledgeStore) -> None:
        def version(n: int) -> tuple[str, ...]:
            return tuple(f"beacon version{n} part{part}" for part in range(3))

        store.write_documents([document("d.md", *version(0))])
        stop = threading.Event()

        def read() -> set[tuple[str, ...]]:
            seen = set()
            while not stop.is_set():
                for mode in MODES:
                    seen.add(tuple(sorted(texts(search(store, "beacon", mode)))))
            return seen

        with ThreadPoolExecutor(1) as pool:
            reader = pool.submit(read)
            try:
                for n in range(1, ROUNDS + 1):
                    store.write_documents([document("d.md", *version(n), generation=n + 1)])
            finally:
                stop.set()
            seen = reader.result()
        assert seen <= {version(n) for n in range(ROUNDS + 1)}
        assert texts(search(store, "beacon")) != []

    @pytest.mark.scenario("knowledge-stores", "A deleted document is gone everywhere")
    def test_a_deleted_document_is_gone_everywhere(self, store: KnowledgeStore) -> None:
        store.write_documents([document("a.md", "wombat one"), document("b.md", "wombat two")])
        gone = document_id("a.md")
        (chunk,) = store.chunks(gone)
        assert store.delete_documents([gone, gone, document_id("never.md")]) == 1
        assert store.delete_documents([gone]) == 0
        assert store.delete_documents([]) == 0
        assert store.document(gone) is None
        assert store.chunks(gone) == ()
        assert store.chunk(chunk.chunk_id) is None
        for mode in MODES:
            assert uris(search(store, "wombat one", mode)) == ["b.md"], mode
        assert store.stats().chunks == 1
        store.write_documents([document("a.md", "wombat again")])
        assert set(uris(search(store, "wombat"))) == {"a.md", "b.md"}

    @pytest.mark.scenario("knowledge-stores", "The revision changes once per write")
    def test_the_revision_changes_with_every_write_and_with_nothing_else(
        self, store: KnowledgeStore
    ) -> None:
        seen = [store.revision()]
        store.write_documents([document("a.md", "x"), document("b.md", "y")])
        seen.append(store.revision())
        store.write_documents([document("a.md", "x", generation=2)])
        seen.append(store.revision())
        store.delete_documents([document_id("a.md")])
        seen.append(store.revision())
        assert len(set(seen)) == 4
        store.write_documents([])
        store.delete_documents([document_id("a.md")])
        search(store, "x")
        list(store.documents())
        store.check()
        assert store.revision() == seen[-1]

    def test_documents_come_by_source_then_path_with_all_their_facts(
        self, store: KnowledgeStore
    ) -> None:
        writes = [
            document("b.md", "x", source="two"),
            document(
                "a.pdf",
                "x",
                "y",
                source="two",
                title="A Title",
                media=Media.PDF,
                language="de",
                tags=("t", "ü"),
                source_type="manual",
                trust=Trust.SECONDARY,
                tenant="acme",
                generation=7,
                byte_size=12_345,
                indexed_at="2026-05-06T07:08:09.123456+02:00",
            ),
            document("z.md", "x", source="one"),
        ]
        store.write_documents(writes)
        assert [(d.source, d.uri) for d in store.documents()] == [
            ("one", "z.md"),
            ("two", "a.pdf"),
            ("two", "b.md"),
        ]
        assert store.document(document_id("a.pdf")) == writes[1].document
        assert list(store.documents(parse_filter({"source": "two"}))) == [
            writes[1].document,
            writes[0].document,
        ]
        assert store.document("no such") is None
        (hit,) = search(store, "x", filters={"media": "pdf"}, k=1).hits
        (chunk, _) = store.chunks(document_id("a.pdf"))
        assert hit.chunk == store.chunk(hit.chunk.chunk_id)
        made = writes[1]
        assert (chunk.tags, chunk.trust, chunk.tenant) == (("t", "ü"), Trust.SECONDARY, "acme")
        assert (chunk.span, chunk.content_hash) == (
            made.chunks[0].span,
            made.chunks[0].content_hash,
        )
        assert (chunk.generation, chunk.language) == (7, "de")
        assert chunk.indexed_at == "2026-05-06T07:08:09.123456+02:00"

    def test_chunks_come_in_document_order_and_give_the_text_back(
        self, store: KnowledgeStore
    ) -> None:
        parts = [f"Line {n}\n" for n in range(25)] + ["  \n", "\x00 end\u2028é"]
        store.write_documents([document("long.md", *parts), document("other.md", "Line")])
        chunks = store.chunks(document_id("long.md"))
        assert [chunk.ordinal for chunk in chunks] == list(range(27))
        assert [chunk.text for chunk in chunks] == parts
        assert store.chunk(chunks[13].chunk_id) == chunks[13]
        assert store.chunk("0" * 32) is None
        assert store.chunks("0" * 32) == ()

    @pytest.mark.scenario("knowledge-stores", "A very long chunk loses nothing")
    def test_a_text_longer_than_an_engine_value_is_kept_whole(self, store: KnowledgeStore) -> None:
        han = "".join(chr(0x4E00 + n % 5_000) for n in range(30_000))  # 90,000 bytes
        latin = " ".join(f"word{n}" for n in range(12_000)) + " needle"
        store.write_documents([document("han.md", han), document("latin.md", latin)])
        assert store.chunks(document_id("han.md"))[0].text == han
        assert store.chunks(document_id("latin.md"))[0].text == latin
        assert uris(search(store, han[-10:], SearchMode.LEXICAL)) == ["han.md"]
        assert uris(search(store, "needle", SearchMode.LEXICAL)) == ["latin.md"]
        assert uris(search(store, "word3", SearchMode.LEXICAL)) == ["latin.md"]
        assert sorted(uris(search(store, "needle", SearchMode.VECTOR))) == ["han.md", "latin.md"]
        assert store.stats().chunks == 2
        store.write_documents([document("latin.md", "short", generation=2)])
        assert uris(search(store, "needle", SearchMode.LEXICAL)) == []

    def test_a_document_without_chunks_is_listed_and_found_by_nothing(
        self, store: KnowledgeStore
    ) -> None:
        store.write_documents([document("empty.md", vectors=[]), document("full.md", "empty")])
        assert [found.uri for found in store.documents()] == ["empty.md", "full.md"]
        assert store.chunks(document_id("empty.md")) == ()
        for mode in MODES:
            assert uris(search(store, "empty", mode)) == ["full.md"], mode
        assert all(line.ok for line in store.check())
        assert store.delete_documents([document_id("empty.md")]) == 1

    @pytest.mark.scenario("knowledge-stores", "A refused write leaves no trace")
    def test_a_write_with_an_unusable_vector_is_refused_and_leaves_no_trace(
        self, store: KnowledgeStore
    ) -> None:
        store.write_documents([document("a.md", "old")])
        before = store.revision()
        good = EMBEDDER.embed_query("x")
        endless = np.where(good > 0, np.float32("inf"), good)
        for bad in (good * 0, good * np.float32("nan"), endless, good[:-1]):
            with pytest.raises(EmbeddingError):
                store.write_documents(
                    [
                        document("a.md", "new", generation=2),
                        document("bad.md", "new", vectors=[bad]),
                    ]
                )
            assert texts(search(store, "old new")) == ["old"]
            assert store.document(document_id("bad.md")) is None
        assert store.revision() == before
        assert all(line.ok for line in store.check())

    def test_many_threads_write_and_search_at_once(self, store_factory: OpenStore) -> None:
        store = store_factory("many_threads")

        def work(n: int) -> None:
            for generation in (1, 2):
                text = f"otter generation{generation}"
                store.write_documents([document(f"{n}.md", text, generation=generation)])
                assert f"{n}.md" in uris(search(store, "otter", k=50))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert sorted(uris(search(store, "otter", k=50))) == [f"{n}.md" for n in range(8)]
        assert set(texts(search(store, "otter", k=50))) == {"otter generation2"}
        assert all(line.ok for line in store.check())
        store.close()
