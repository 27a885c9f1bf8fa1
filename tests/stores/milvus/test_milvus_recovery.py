"""What a write that was cut short leaves, and how it is mended."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rag.errors import StoreError
from rag.ranking import SearchMode
from rag.settings import StoreSettings
from rag.stores.milvus.connection import MilvusConnection, connect
from rag.stores.milvus.ledger import Ledger
from rag.stores.milvus.ledger_state import ABANDONED_AFTER_S, LedgerState, WriteEntry
from rag.stores.milvus.row_maker import RowMaker
from rag.testing.store_contract import ANALYZER, EMBEDDER
from rag.testing.store_contract_parts.corpus import (
    MODES,
    document,
    document_id,
    search,
    texts,
)
from tests.stores.milvus.conftest import open_at

STARTED = "2026-01-01T00:00:00+00:00"

KILLED = """
import os, sys
from rag.ranking import ReciprocalRankFusion
from rag.settings import StoreSettings
from rag.stores.milvus.generation_writer import GenerationWriter
from rag.stores.milvus.ledger import Ledger
from rag.stores.milvus.store import MilvusHybridKnowledgeStore
from rag.testing.store_contract_parts.corpus import ANALYZER, EMBEDDER, document

uri, step = sys.argv[1:]
store = MilvusHybridKnowledgeStore(
    StoreSettings(uri=uri), analyzer=ANALYZER, embedder=EMBEDDER.identity,
    fusion=ReciprocalRankFusion(),
)
store.write_documents([document("a.md", "old plover"), document("b.md", "bystander")])

def die(*_):
    os.kill(os.getpid(), 9)

owner, name = {
    "insert": (GenerationWriter, "_insert"),
    "commit": (Ledger, "commit"),
    "finish": (GenerationWriter, "_finish"),
    "end": (Ledger, "end"),
}[step]
setattr(owner, name, die)
store.write_documents([document("a.md", "new plover", generation=2), document("c.md", "fresh")])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "right"),
    [
        ("insert", ["bystander", "old plover"]),
        ("commit", ["bystander", "old plover"]),
        ("finish", ["bystander", "fresh", "new plover"]),
        ("end", ["bystander", "fresh", "new plover"]),
    ],
)
@pytest.mark.scenario("knowledge-stores", "A write is killed half-way")
def test_a_process_killed_before_a_step_leaves_the_old_or_the_new_whole(new_path, step, right):
    uri = new_path()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, uri, step], capture_output=True, text=True, check=False
    )
    assert killed.returncode == -9, killed.stderr
    open_store = open_at(uri)
    store = open_store("rag")
    for mode in MODES:
        assert sorted(texts(search(store, "plover bystander fresh", mode, k=50))) == right, mode
    assert len(list(store.documents())) == len(right)
    assert [line.name for line in store.check() if not line.ok] == ["unfinished writes"]
    if step in ("insert", "end"):
        assert store.repair() == ("Cleaned up after 1 unfinished writes.",)
    else:
        store.write_documents([document("d.md", "next")])
        store.delete_documents([document_id("d.md")])
    assert store.repair() == ()
    assert all(line.ok for line in store.check())
    assert sorted(texts(search(store, "plover bystander fresh", k=50))) == right
    assert _row_count(uri) == len(right)
    store.close()


def test_a_repair_drops_the_older_of_two_generations_and_chunks_without_document(new_path):
    uri = new_path()
    store = open_at(uri)("rag")
    store.write_documents([document("a.md", "newer egret", "second egret", generation=2)])
    _insert_behind(uri, "elsewhere", document("a.md", "older egret", generation=1))
    headless = list(RowMaker(ANALYZER, 64).rows(document("lost.md", "x", "egret"), "w9"))[1:]
    _insert_rows(uri, headless)
    store.close()

    store = open_at(uri)("rag")
    found = search(store, "egret", SearchMode.LEXICAL)
    assert "older egret" not in texts(found)
    assert found.ghosts == 1
    assert texts(search(store, "egret")).count("newer egret") == 1
    broken = {line.name for line in store.check() if not line.ok}
    assert broken == {"generations", "orphan chunks"}
    assert [c.text for c in store.chunks(document_id("a.md"))] == ["newer egret", "second egret"]
    assert store.document(document_id("a.md")).generation == 2
    assert store.repair() == ("Removed left-over chunks of 2 documents.",)
    assert all(line.ok for line in store.check())
    assert _row_count(uri) == 2
    store.close()


def test_a_document_with_a_chunk_missing_is_reported_by_path(new_path):
    uri = new_path()
    store = open_at(uri)("rag")
    store.write_documents([document("whole.md", "a", "b"), document("torn.md", "a", "b")])
    held = connect(StoreSettings(uri=uri))
    held.client.delete("rag", filter='uri == "torn.md" and ordinal == 1')
    (line,) = [line for line in store.check() if not line.ok]
    assert line.name == "chunk counts"
    assert "torn.md" in line.detail
    assert "whole.md" not in line.detail
    assert "--force" in line.hint
    held.release()
    store.close()


def test_a_write_under_way_elsewhere_is_hidden_and_left_alone_until_it_is_old(server_uri: str):
    store = open_at(server_uri)("elsewhere")
    store.write_documents([document("a.md", "heron old")])
    held = connect(StoreSettings(uri=server_uri))
    ledger = Ledger(held, "elsewhere_ledger", 10.0)
    young = WriteEntry(batch="young", phase="writing", started_at=datetime.now(UTC).isoformat())
    _put(ledger, young)
    rows = RowMaker(ANALYZER, 64).rows(document("a.md", "heron new", generation=2), "young")
    held.client.insert("elsewhere", list(rows))
    for mode in MODES:
        assert texts(search(store, "heron", mode)) == ["heron old"], mode
    store.write_documents([document("b.md", "stork")])
    assert held.client.query("elsewhere", filter='batch == "young"', output_fields=["row_id"])

    old = datetime.now(UTC) - timedelta(seconds=ABANDONED_AFTER_S + 1)
    _put(ledger, WriteEntry(batch="young", phase="writing", started_at=old.isoformat()))
    store.write_documents([document("c.md", "ibis")])
    assert not held.client.query("elsewhere", filter='batch == "young"', output_fields=["row_id"])
    assert all(line.ok for line in store.check())
    held.release()
    store.close()


def test_a_commit_by_another_process_is_seen_by_the_next_search(server_uri: str):
    one = open_at(server_uri)("seen")
    one.write_documents([document("a.md", "first text")])
    script = (
        "import sys; from tests.stores.milvus.conftest import open_at;"
        "from rag.testing.store_contract_parts.corpus import document;"
        "s = open_at(sys.argv[1])('seen');"
        "s.write_documents([document('a.md', 'second text', generation=2)]); s.close()"
    )
    subprocess.run([sys.executable, "-c", script, server_uri], check=True, capture_output=True)
    before = one.revision()
    found = search(one, "text")
    assert texts(found) == ["second text"]
    assert found.revision == one.revision() == before
    one.close()


def test_an_engine_error_during_a_write_leaves_the_old_text(new_path, monkeypatch):
    store = open_at(new_path())("rag")
    store.write_documents([document("a.md", "kept")])
    before = store.revision()

    def fail(self: Ledger, entry: WriteEntry) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Ledger, "commit", fail)
    with pytest.raises(StoreError, match="disk is full"):
        store.write_documents([document("a.md", "lost", generation=2)])
    monkeypatch.undo()
    assert texts(search(store, "kept lost")) == ["kept"]
    assert store.revision() == before
    store.write_documents([document("a.md", "later", generation=2)])
    assert texts(search(store, "kept lost later")) == ["later"]
    assert all(line.ok for line in store.check())
    store.close()


def test_states_that_show_the_same_rows_need_no_second_look():
    entry = WriteEntry(batch="b", phase="writing", started_at=STARTED)
    calm, begun = LedgerState(revision="1"), LedgerState(revision="1", writes=(entry,))
    assert calm.shows_no_more_than(calm)
    assert calm.shows_no_more_than(begun)
    assert not begun.shows_no_more_than(calm)
    assert not LedgerState(revision="2").shows_no_more_than(calm)


def _put(ledger: Ledger, entry: WriteEntry) -> None:
    ledger.begin(entry)
    ledger.forget_state()  # as if another process had written it


def _insert_behind(uri: str, batch: str, write) -> None:
    _insert_rows(uri, list(RowMaker(ANALYZER, EMBEDDER.identity.dimensions).rows(write, batch)))


def _insert_rows(uri: str, rows: list[dict[str, object]]) -> None:
    held: MilvusConnection = connect(StoreSettings(uri=uri))
    held.client.insert("rag", rows)
    held.release()


def _row_count(uri: str) -> int:
    held = connect(StoreSettings(uri=uri))
    rows = held.client.query("rag", filter="part >= -1", output_fields=["row_id"])
    held.release()
    return len(rows)


@pytest.mark.parametrize("left", [(), ("schema.json.tmp",)])
@pytest.mark.parametrize("name", ["rag", "rag_ledger"])
def test_a_collection_that_was_begun_and_never_made_does_not_stop_the_next_start(
    new_path, name: str, left: tuple[str, ...]
):
    """As a full disk or a kill leaves it: Milvus Lite neither lists it nor makes it anew."""
    uri = new_path()
    begun = Path(uri) / "collections" / name
    begun.mkdir(parents=True)
    for file in left:
        (begun / file).write_text("{")
    with closing(open_at(uri)("rag")) as store:
        store.write_documents([document("a.md", "plover")])
        assert texts(search(store, "plover", SearchMode.LEXICAL)) == ["plover"]


def test_a_collection_with_data_and_no_schema_is_left_alone(new_path):
    uri = new_path()
    folder = Path(uri) / "collections" / "rag"
    folder.mkdir(parents=True)
    (folder / "data.parquet").write_bytes(b"precious")
    with pytest.raises(StoreError):
        open_at(uri)("rag")
    assert (folder / "data.parquet").read_bytes() == b"precious"
