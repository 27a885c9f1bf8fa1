"""Chunks that were read are kept, a bounded number of them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rag.stores.local import catalog
from rag.stores.local.database import DATABASE_FILE
from rag.stores.records import StoreQuery
from rag.testing.store_contract_parts.corpus import EMBEDDER, document
from tests.stores.local.opening import local_store

WORDS = ("curlew", "plover", "godwit", "dunlin")


def test_what_is_found_does_not_depend_on_what_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = local_store(folder)
    store.write_documents([document(f"{word}.md", *[f"{word} shore"] * 5) for word in WORDS])

    def found() -> list[list[str]]:
        return [
            [
                hit.chunk.chunk_id
                for hit in store.search(
                    StoreQuery(text=word, vector=EMBEDDER.embed_query(word))
                ).hits
            ]
            for word in (*WORDS, *reversed(WORDS))
        ]

    everything = found()
    for room in (0, 1, 5, 7):
        monkeypatch.setattr(catalog, "CACHED_CHUNKS", room)
        assert found() == everything
        assert found() == everything
    store.close()


def test_the_oldest_leave_first_and_no_more_than_must(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "CACHED_CHUNKS", 7)
    store = local_store(folder)
    store.write_documents([document(f"{word}.md", *[f"{word} shore"] * 5) for word in WORDS])
    store.close()
    read: list[str] = []
    rows = catalog.Catalog()
    with sqlite3.connect(folder / DATABASE_FILE) as connection:
        connection.set_trace_callback(read.append)
        for asked in ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [4, 5, 6, 7, 8, 9, 10], [3, 4]):
            assert sorted(rows.chunks_by_row(connection, "one", asked)) == asked
    assert [sql.rpartition("json_each('")[2][:-3] for sql in read] == [
        "[1, 2, 3, 4, 5]",
        "[6, 7, 8, 9, 10]",  # 1 to 3 leave
        "[3]",  # 4 to 10 were all there
    ]
