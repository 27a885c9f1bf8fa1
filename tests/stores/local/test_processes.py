"""Several processes at one store: one writes at a time, all others read undisturbed."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from rag.errors import StoreLockedError
from rag.ranking.records import SearchMode
from rag.stores.local.write_lock import write_lock
from rag.testing.store_contract_parts.corpus import document, search
from tests.stores.local.busy_writer import CHUNKS, DOCUMENTS
from tests.stores.local.opening import local_store

ROOT = Path(__file__).parents[3]
LOOK_FOR_S = 1.5  # the writer turns out dozens of generations in this time


@pytest.mark.scenario("local-store", "One process ingests while another searches")
def test_a_search_during_an_ingest_of_another_process_sees_one_whole_state(folder) -> None:
    command = [sys.executable, "-m", "tests.stores.local.busy_writer", str(folder)]
    writers = [
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    assert [writer.stdout.readline() for writer in writers] == ["begun\n"] * 2
    store = local_store(folder)
    states: set[str] = set()
    searches = 0
    end = time.monotonic() + LOOK_FOR_S
    # until a writer had its turn meanwhile, however loaded the machine is
    while time.monotonic() < end or (len(states) == 1 and writers[0].poll() is None):
        for mode in SearchMode:
            response = search(store, "magpie", mode, k=100)
            searches += 1
            states.add(response.revision)
            assert response.ghosts == 0
            assert response.total == DOCUMENTS * CHUNKS
            by_document = Counter((h.chunk.uri, h.chunk.generation) for h in response.hits)
            assert set(by_document.values()) == {CHUNKS}  # whole, and of one generation
            assert len(by_document) == DOCUMENTS
    written = [int(writer.communicate("stop")[0]) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert min(written) > 1
    assert len(states) > 1
    assert searches > 1
    assert all(line.ok for line in store.check())
    store.close()


@pytest.mark.scenario("local-store", "A second writer waits its turn, not for ever")
def test_a_writer_that_does_not_get_its_turn_in_time_says_so(folder) -> None:
    store = local_store(folder, lock_timeout_s=0.05)
    store.write_documents([document("a.md", "before")])
    with write_lock(folder / "write.lock", timeout_s=0):
        with pytest.raises(StoreLockedError) as caught:
            store.write_documents([document("b.md", "never")])
        assert str(folder) in caught.value.message
        assert "nothing needs to be deleted" in caught.value.hint
        assert len(search(store, "before").hits) == 1  # readers do not care
    store.write_documents([document("b.md", "now")])
    assert store.stats().documents == 2
    store.close()


def test_a_writer_that_waits_gets_its_turn(folder) -> None:
    store = local_store(folder)
    free = threading.Event()

    def hold() -> None:
        with write_lock(folder / "write.lock", timeout_s=0):
            held.set()
            free.wait(60)

    held = threading.Event()
    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(60)
    waiting = threading.Thread(target=store.write_documents, args=([document("a.md", "x")],))
    waiting.start()
    free.set()
    waiting.join()
    holder.join()
    assert store.stats().documents == 1
    store.close()


COMES_AND_GOES = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT count(*) FROM chunks").fetchone()[0])
connection.close()
"""


@pytest.mark.scenario("local-store", "Another process comes and goes while one writes")
def test_a_process_that_comes_and_goes_takes_nothing_from_a_writer(folder) -> None:
    """The last connection to a file removes its log; who holds the file open is not passed over.

    Asking whether there is a store must therefore not open the file beside SQLite, which would
    lift this process's locks.
    """
    store = local_store(folder)
    store.write_documents([document("a.md", "before")])
    threads = [threading.Thread(target=search, args=(store, "before")) for _ in range(3)]
    for thread in threads:  # each asks whether there is a store, and opens a connection of its own
        thread.start()
        thread.join()
    log = (folder / "rag.sqlite-wal").stat().st_ino
    for round_ in range(3):
        visitor = subprocess.run(
            [sys.executable, "-c", COMES_AND_GOES, str(folder / "rag.sqlite")],
            capture_output=True,
            text=True,
            check=True,
        )
        assert int(visitor.stdout) == round_ + 1
        assert (folder / "rag.sqlite-wal").stat().st_ino == log
        store.write_documents([document(f"{round_}.md", "after")])
    assert len(search(store, "after", SearchMode.LEXICAL).hits) == 3
    assert all(line.ok for line in store.check())
    store.close()


@pytest.mark.scenario("local-store", "A backup is taken while another process writes")
def test_a_backup_during_writes_of_another_process_is_a_whole_base(folder, tmp_path) -> None:
    """As ``docs/operations.md`` shows it."""
    writer = subprocess.Popen(
        [sys.executable, "-m", "tests.stores.local.busy_writer", str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout.readline() == "begun\n"
    backups = [tmp_path / f"backup-{number}" for number in range(10)]
    for backup in backups:
        backup.mkdir()
        with (
            closing(sqlite3.connect(f"file:{folder}/rag.sqlite?mode=ro", uri=True)) as base,
            closing(sqlite3.connect(backup / "rag.sqlite")) as copy,
        ):
            base.backup(copy)
    writer.communicate("stop")
    assert writer.returncode == 0
    for place in [folder, *backups]:
        store = local_store(place)
        assert search(store, "magpie", k=100).total == DOCUMENTS * CHUNKS
        assert all(line.ok for line in store.check())
        store.close()
