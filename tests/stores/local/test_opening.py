"""What a local store opens, what it refuses, and what it leaves untouched."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from rag.errors import (
    IndexIdentityMismatchError,
    ReadonlyError,
    StoreDamagedError,
    StoreError,
    StoreNotInitialisedError,
)
from rag.ingest.records import Source
from rag.stores.local import database, file_version, schema
from rag.testing.store_contract_parts.corpus import document, document_id, search
from tests.stores.local.opening import local_store

DATABASE = "rag.sqlite"


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes, SQLite's coordination files aside."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


@pytest.mark.scenario("local-store", "Nothing there and nothing to be made")
@pytest.mark.parametrize("options", [{"create": False}, {"readonly": True}])
def test_a_path_with_nothing_is_said_to_be_empty_and_stays_so(folder, options) -> None:
    with pytest.raises(StoreNotInitialisedError) as caught:
        local_store(folder, **options)
    assert str(folder) in caught.value.message
    assert "rag ingest" in caught.value.hint
    assert not folder.exists()


@pytest.mark.scenario("local-store", "Something else is at the path")
@pytest.mark.parametrize(
    "what", ["a file", "garbage", "another database", "another program's mark"]
)
def test_what_is_no_store_of_ours_is_refused_and_left_as_it_is(folder, what) -> None:
    if what == "a file":
        folder.write_text("my notes")
    else:
        folder.mkdir()
        database = folder / DATABASE
        if what == "garbage":
            database.write_bytes(b"not a database at all" * 100)
        else:
            connection = sqlite3.connect(database)
            connection.execute("CREATE TABLE recipes (name)")
            if what == "another program's mark":
                connection.execute("PRAGMA application_id = 42")
                connection.execute("DROP TABLE recipes")
            connection.commit()
            connection.close()
    before = folder.read_bytes() if folder.is_file() else contents(folder)
    for options in ({}, {"readonly": True}, {"create": False}):
        with pytest.raises(StoreDamagedError) as caught:
            local_store(folder, **options)
        assert str(folder) in caught.value.message
        assert caught.value.hint
    assert (folder.read_bytes() if folder.is_file() else contents(folder)) == before


@pytest.mark.scenario("local-store", "A folder with other files")
@pytest.mark.parametrize("options", [{}, {"readonly": True}, {"create": False}])
def test_a_folder_with_other_files_is_refused_and_left_as_it_is(folder, options) -> None:
    folder.mkdir()
    (folder / "letter.odt").write_text("my letter")
    with pytest.raises(StoreDamagedError) as caught:
        local_store(folder, **options)
    assert "'letter.odt'" in caught.value.message
    assert "move the file" not in caught.value.hint
    assert contents(folder) == {"letter.odt": b"my letter"}


@pytest.mark.scenario("local-store", "A folder with other files")
@pytest.mark.parametrize(
    "names", [(), (".DS_Store", ".gitkeep"), ("lost+found",), ("write.lock", "index.lock", "lance")]
)
def test_a_folder_with_nothing_of_anybodys_becomes_a_store(folder, names) -> None:
    folder.mkdir()
    for name in names:
        (folder / name).touch()
    store = local_store(folder)
    store.write_documents([document("a.md", "walrus")])
    assert len(search(store, "walrus").hits) == 1
    store.close()


def test_a_file_in_place_of_a_store_is_called_a_file(folder) -> None:
    folder.write_text("my notes")
    with pytest.raises(StoreDamagedError, match="is a file") as caught:
        local_store(folder)
    assert "move the file away" in caught.value.hint


@pytest.mark.parametrize("size", [100, 5_000, 60_000])
def test_a_file_with_a_hole_in_it_is_damage_and_never_a_wrong_answer(folder, size) -> None:
    store = local_store(folder)
    store.write_documents([document(f"{n}.md", f"word{n} " * 50) for n in range(60)])
    store.close()
    database = folder / DATABASE
    database.write_bytes(database.read_bytes()[:size])

    def open_and_read() -> None:
        opened = local_store(folder)
        try:
            search(opened, "word7")
            list(opened.documents())
        finally:
            opened.close()

    with pytest.raises(StoreDamagedError):
        open_and_read()


def test_an_empty_file_left_by_a_writer_that_died_is_an_empty_store(folder) -> None:
    folder.mkdir()
    (folder / DATABASE).touch()
    with pytest.raises(StoreNotInitialisedError):
        local_store(folder, create=False)
    store = local_store(folder)
    store.write_documents([document("a.md", "x")])
    assert store.stats().documents == 1
    store.close()


@pytest.mark.scenario("local-store", "A newer release made the index")
def test_a_store_of_a_newer_schema_is_refused_by_its_number(folder) -> None:
    local_store(folder).close()
    connection = sqlite3.connect(folder / DATABASE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(IndexIdentityMismatchError, match="99"):
        local_store(folder)


@pytest.mark.scenario("local-store", "Read-only changes nothing")
def test_a_readonly_store_answers_and_refuses_every_write(folder) -> None:
    writer = local_store(folder)
    writer.write_documents([document("a.md", "wren")])
    writer.close()
    before = contents(folder)
    store = local_store(folder, readonly=True, exact_limit=0)
    assert len(search(store, "wren").hits) == 1
    assert store.stats().documents == 1
    store.check()
    writes = (
        lambda: store.write_documents([document("b.md", "x")]),
        lambda: store.delete_documents([document_id("a.md")]),
        lambda: store.put_source(Source(name="s")),
        store.repair,
        store.build_index,
    )
    for write in writes:
        with pytest.raises(ReadonlyError):
            write()
    store.close()
    assert contents(folder) == before


def test_a_readonly_store_sees_what_another_process_writes(folder) -> None:
    writer = local_store(folder)
    writer.write_documents([document("a.md", "wren")])
    reader = local_store(folder, readonly=True)
    assert len(search(reader, "wren").hits) == 1
    writer.write_documents([document("b.md", "wren")])
    assert len(search(reader, "wren").hits) == 2
    reader.close()
    writer.close()


@pytest.mark.scenario("local-store", "An older schema is migrated where writing is allowed")
def test_an_older_schema_is_migrated_once_and_never_by_a_reader(folder, monkeypatch) -> None:
    local_store(folder).close()
    steps: list[int] = []
    for module in (schema, database, file_version):
        monkeypatch.setattr(module, "SCHEMA_VERSION", 2)
    monkeypatch.setattr(schema, "_MIGRATIONS", {1: lambda connection: steps.append(1)})
    before = contents(folder)
    with pytest.raises(IndexIdentityMismatchError, match="version 1"):
        local_store(folder, readonly=True)
    assert (steps, contents(folder)) == ([], before)
    store = local_store(folder)
    assert steps == [1]
    store.write_documents([document("a.md", "x")])
    local_store(folder, readonly=True).close()
    assert steps == [1]
    assert store.stats().documents == 1
    store.close()


def test_a_base_on_a_medium_that_cannot_be_written_is_read(folder, monkeypatch) -> None:
    store = local_store(folder)
    store.write_documents([document("a.md", "wren")])
    store.close()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    before = sorted(path.name for path in folder.iterdir())
    reader = local_store(folder, readonly=True)
    assert len(search(reader, "wren").hits) == 1
    assert sorted(path.name for path in folder.iterdir()) == before
    reader.close()


def test_odd_but_lawful_paths_are_no_trouble(tmp_path) -> None:
    for name in ("with space", "per%20cent", "ques?tion", "ha#sh", "ünïcode 知识", "a&mode=ro"):
        store = local_store(tmp_path / name / "deep")
        store.write_documents([document("a.md", "x")])
        store.close()
        assert (tmp_path / name / "deep" / DATABASE).is_file()


@pytest.mark.scenario("local-store", "A text that is no Unicode is refused")
def test_a_text_with_a_lone_surrogate_is_refused_whole(store) -> None:
    store.write_documents([document("a.md", "fine")])
    with pytest.raises(StoreError, match="ud800"):
        store.write_documents([document("b.md", "fine too"), document("c.md", "bad \ud800 text")])
    assert [found.uri for found in store.documents()] == ["a.md"]
