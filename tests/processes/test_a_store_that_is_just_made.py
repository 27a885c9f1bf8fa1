"""A process that opens a store while another makes it sees it before or after, never between."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rag.testing.store_contract_parts.corpus import document
from tests.stores.local.opening import local_store


@pytest.mark.parametrize("statement", ["PRAGMA application_id", "PRAGMA user_version"])
def test_a_store_made_between_two_looks_at_its_file_is_not_taken_for_a_foreign_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    folder = tmp_path / "base"
    folder.mkdir()
    with sqlite3.connect(folder / "rag.sqlite") as begun:
        begun.execute("PRAGMA journal_mode = WAL")  # what a maker does before it lays tables
    begun.close()
    connect = sqlite3.connect
    made = False

    def connect_watched(*args: object, **options: object) -> sqlite3.Connection:
        connection = connect(*args, **options)

        def make_meanwhile(running: str) -> None:
            nonlocal made
            if running == statement and not made:
                made = True
                other = local_store(folder)
                other.write_documents([document("a.md", "by the other")])
                other.close()

        connection.set_trace_callback(make_meanwhile)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_watched)
    store = local_store(folder)
    store.write_documents([document("b.md", "by this one")])
    assert made
    assert [found.uri for found in store.documents()] == ["a.md", "b.md"]
    store.close()
