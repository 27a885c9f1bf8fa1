"""What ``check`` finds, ``repair`` mends."""

from __future__ import annotations

import sqlite3

import pytest

from rag.errors import StoreDamagedError
from rag.ranking.records import SearchMode
from rag.testing.store_contract_parts.corpus import document, search, uris

# (what is done to the file behind the store's back, the line that must say so)
DAMAGES = [
    ("DELETE FROM words WHERE rowid = 2", "words"),
    ("DELETE FROM words_docsize WHERE id = 3", "words"),
    ("DELETE FROM words_data WHERE id > 10", "words"),
    ("DROP TABLE words_idx", "words"),
    ("INSERT INTO words (rowid, heading, body) VALUES (99, 'x', 'ghost')", "words"),
    ("UPDATE words SET body = 'changed' WHERE rowid = 1", "words"),
    ("DELETE FROM chunks WHERE row = 2", "documents"),
    ("DELETE FROM documents WHERE doc = 1", "documents"),
    ("UPDATE chunks SET ordinal = 7 WHERE row = 1", "documents"),
    ("DELETE FROM document_tags; INSERT INTO document_tags VALUES ('t', 77)", "documents"),
    ("UPDATE vectors SET vector = x'00' WHERE row = 1", "vectors"),
    ("INSERT INTO vectors VALUES (88, 1, zeroblob(256))", "vectors"),
    ("DELETE FROM vectors WHERE row = 1", "counts"),
    ("UPDATE state SET value = 12 WHERE key = 'chunks'", "counts"),
]


@pytest.mark.parametrize(("damage", "line"), DAMAGES)
@pytest.mark.scenario("local-store", "Damage is found and mended")
def test_damage_is_found_named_and_mended(open_local, folder, damage, line) -> None:
    store = open_local()
    store.write_documents(
        [document(f"{n}.md", "crane one", "crane two", tags=("t",)) for n in range(3)]
    )
    assert len(search(store, "crane", k=50).hits) == 6
    connection = sqlite3.connect(folder / "rag.sqlite")
    for statement in damage.split("; "):
        connection.execute(statement)
    connection.commit()
    connection.close()
    lines = {found.name: found for found in store.check()}
    assert not lines[line].ok
    assert lines[line].hint
    assert store.repair()
    assert all(found.ok for found in store.check())
    assert store.repair() == ()
    whole = {found.uri for found in store.documents()}
    for mode in SearchMode:
        for opened in (store, open_local()):
            assert set(uris(search(opened, "crane", mode, k=50))) <= whole
    assert len(search(store, "crane", SearchMode.LEXICAL, k=50).hits) == 2 * len(whole)
    assert uris(search(store, "ghost", SearchMode.LEXICAL)) == []


def test_damage_beyond_the_file_s_own_indexes_is_not_mended_but_said(open_local, folder) -> None:
    store = open_local()
    store.write_documents([document(f"{n}.md", f"crane {n} " * 40) for n in range(50)])
    store.close()
    database = folder / "rag.sqlite"
    data = bytearray(database.read_bytes())
    data[40_960 : 40_960 + 4_096] = b"\xff" * 4_096
    database.write_bytes(data)
    broken = open_local()
    assert any(not line.ok for line in broken.check())
    with pytest.raises(StoreDamagedError) as caught:
        broken.repair()
    assert caught.value.hint


def test_check_of_an_empty_store_is_in_order(store) -> None:
    assert all(line.ok for line in store.check())
    assert store.repair() == ()
