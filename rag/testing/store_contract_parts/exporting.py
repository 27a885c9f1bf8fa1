"""A document comes out of a store as it went in."""

from __future__ import annotations

import numpy as np

from rag.stores.protocol import KnowledgeStore
from rag.testing.store_contract_parts.corpus import OpenStore, digest, document, document_id

TEXTS = ("# Höhe\n\n", "Zwei Zeilen,\nein Emoji 🌲\n", "没有向量的一段。\n")


class ExportingContract:
    """Tests of ``KnowledgeStore.export``."""

    def test_a_document_is_exported_as_it_was_written(self, store: KnowledgeStore) -> None:
        """Chunks with their offsets, vectors bit for bit, and only the newest generation."""
        whole = document("a/höhe.md", *TEXTS, headings=("Höhe", "Messen"), tags=("x", "y z"))
        first, second, third = whole.chunks
        vectors = {c.chunk_id: whole.vectors[c.chunk_id] for c in (first, second)}
        older = document("a/höhe.md", "older text\n", "and more of it\n")
        newer = type(whole)(document=whole.document, chunks=whole.chunks, vectors=vectors)
        store.write_documents([older, document("b.md", "another document\n")])
        store.write_documents([newer])
        (found,) = store.export([document_id("a/höhe.md")])
        assert found.document == newer.document
        assert tuple(found.chunks) == tuple(newer.chunks)
        assert set(found.vectors) == {first.chunk_id, second.chunk_id}
        for chunk_id, vector in vectors.items():
            assert found.vectors[chunk_id].dtype == np.float32
            assert np.array_equal(found.vectors[chunk_id], vector)
        assert third.chunk_id not in found.vectors

    def test_a_document_without_chunks_is_exported(self, store: KnowledgeStore) -> None:
        empty = document("empty.md")
        store.write_documents([empty])
        (found,) = store.export([document_id("empty.md")])
        assert (found.document, tuple(found.chunks)) == (empty.document, ())

    def test_documents_come_in_the_order_asked_and_missing_ones_are_left_out(
        self, store: KnowledgeStore
    ) -> None:
        store.write_documents([document(uri, f"text of {uri}\n") for uri in ("a.md", "b.md")])
        asked = [document_id("b.md"), digest("no such document"), document_id("a.md")]
        assert [write.document.uri for write in store.export(asked)] == ["b.md", "a.md"]
        assert store.export([]) == ()

    def test_vectors_are_exported_without_the_embedder(self, store_factory: OpenStore) -> None:
        """A copy loads no model: it opens its source without one."""
        written = document("a.md", "one text\n")
        store = store_factory("exported_without_embedder")
        store.write_documents([written])
        store.close()
        reopened = store_factory("exported_without_embedder", embedder=None)
        try:
            (found,) = reopened.export([document_id("a.md")])
            assert set(found.vectors) == set(written.vectors)
        finally:
            reopened.close()
