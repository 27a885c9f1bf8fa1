"""Several shells at one local store: some ingest, some look up, none gets in another's way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rag
from rag.errors import ReadonlyError, StoreLockedError, StoreNotInitialisedError
from rag.ranking import ReciprocalRankFusion
from rag.stores.local import LocalKnowledgeStore
from rag.stores.local.store import LOCK_TIMEOUT_S
from rag.text import Analyzer
from tests.processes import marked_corpus

ROOT = Path(__file__).parents[2]
RAG = Path(sys.executable).with_name("rag")
DOCUMENTS = 80  # of four chunks
EDITED = range(40)
DELETED = range(70, 80)
LONGEST_S = 120.0  # for a process that hangs; none takes a tenth of it


class Shell:
    """Starts processes whose settings name one base; ends those that a test leaves behind."""

    def __init__(self, store: Path, tmp_path: Path) -> None:
        self._env = {
            **{key: value for key, value in os.environ.items() if not key.startswith("RAG_")},
            "RAG_STORE__URI": str(store),
            "RAG_EMBEDDING__EMBEDDER": "hashing",
            "RAG_EMBEDDING__CACHE": "false",
            "RAG_INGEST__BATCH_CHUNKS": "48",  # many writes, so many states to be seen
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "PYTHONPATH": str(ROOT),
        }
        self._cwd = tmp_path
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *command: object, **env: str) -> subprocess.Popen[str]:
        """Start a process that can be written to and read from."""
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=self._cwd,
            env={**self._env, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def looker(self, **env: str) -> subprocess.Popen[str]:
        """Start a loop of look-ups; return when its base is open."""
        process = self.start(sys.executable, "-m", "tests.processes.looker", DOCUMENTS, **env)
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n", process.communicate()[1]
        return process

    def rag(self, *arguments: object) -> subprocess.Popen[str]:
        """Start a ``rag`` command that prints JSON."""
        return self.start(RAG, *arguments, "--json")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A place where there is no base yet."""
    return tmp_path / "base"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of documents, all of version 1."""
    marked_corpus.write(tmp_path / "lights", range(DOCUMENTS), version=1)
    return tmp_path / "lights"


@pytest.fixture
def shell(store: Path, tmp_path: Path) -> Iterator[Shell]:
    """Starts processes at the base."""
    shell = Shell(store, tmp_path)
    yield shell
    for process in shell.started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def open_here(store: Path) -> Iterator[Callable[..., rag.KnowledgeBase]]:
    """Opens the base in this process."""
    opened: list[rag.KnowledgeBase] = []

    def open_base(**settings: Any) -> rag.KnowledgeBase:
        create = settings.pop("create", True)
        chosen = rag.load_settings(
            store={"uri": str(store)}, embedding={"embedder": "hashing", "cache": False}, **settings
        )
        opened.append(rag.open(chosen, create=create))
        return opened[-1]

    yield open_base
    for base in opened:
        base.close()


def ended(process: subprocess.Popen[str], said: str = "") -> dict[str, Any]:
    """Wait for a process; return the JSON it printed, once it ended well and said nothing else."""
    out, err = process.communicate(said, timeout=LONGEST_S)
    assert err == ""
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.scenario("local-store", "A folder is ingested in one shell and looked up in another")
def test_look_ups_go_on_undisturbed_while_a_folder_is_ingested_edited_and_ingested_again(
    shell: Shell, folder: Path, open_here: Callable[..., rag.KnowledgeBase]
) -> None:
    open_here().close()  # the readers open an empty base, before there is anything in it
    lookers = [shell.looker(), shell.looker(RAG_READONLY="true")]

    ingesting = shell.rag("ingest", folder)
    looks = [shell.rag("lookup", f"what does {marked_corpus.marker(7)} say?")]
    first = ended(ingesting)
    assert (first["new"], first["failed"]) == (DOCUMENTS, 0)
    looks += [shell.rag("lookup", f"what does {marked_corpus.marker(3)} say?", "--readonly")]

    marked_corpus.write(folder, EDITED, version=2)
    for number in DELETED:
        (folder / marked_corpus.name(number)).unlink()
    second = ended(shell.rag("ingest", folder))
    assert (second["updated"], second["deleted"]) == (len(EDITED), len(DELETED))
    assert all(ended(look)["channels"]["lexical"]["status"] == "ok" for look in looks)

    for looker in lookers:
        seen = ended(looker, "stop")
        assert seen["faults"] == []
        assert seen["whole"] > 0
        assert seen["revisions"] > 2
        assert set(seen["versions"]) <= {"1", "2"}
    with open_here() as base:
        assert {document.uri for document in base.documents()} == {
            marked_corpus.name(n) for n in range(DOCUMENTS) if n not in DELETED
        }
        for document in base.documents():
            chunks = base.parts.store.chunks(document.doc_id)
            number = int(document.uri.removeprefix("light").removesuffix(".md"))
            version = 2 if number in EDITED else 1
            said = set().union(*(marked_corpus.said_by(chunk.text) for chunk in chunks))
            assert said == {(str(number), str(version))}
            assert marked_corpus.is_whole([c.ordinal for c in chunks], chunks[-1].text)
        assert all(line.ok for line in base.parts.store.check())


@pytest.mark.scenario("local-store", "Two ingests at once both end well")
def test_two_ingests_at_once_take_turns(
    shell: Shell, folder: Path, tmp_path: Path, open_here: Callable[..., rag.KnowledgeBase]
) -> None:
    other = tmp_path / "others"
    marked_corpus.write(other, range(500, 530), version=1)
    runs = [
        shell.rag("ingest", folder),
        shell.rag("ingest", folder),  # the same folder twice, at once
        shell.rag("ingest", other, "--source", "others"),
    ]
    for report in map(ended, runs):
        assert (report["failed"], report["deleted"]) == (0, 0)
    with open_here() as base:
        stats = base.parts.store.stats()
        assert stats.documents == DOCUMENTS + 30
        documents = base.documents()
        assert stats.chunks == sum(document.chunk_count for document in documents)
        assert len({document.uri for document in documents}) == DOCUMENTS + 30
        assert all(line.ok for line in base.parts.store.check())
        for number in (0, 57, 529):
            words = marked_corpus.marker(number)
            hits = base.search(words, mode="lexical", k=200).hits
            (document,) = [one for one in documents if one.uri == marked_corpus.name(number)]
            assert len(hits) == document.chunk_count
            assert {hit.doc_path for hit in hits} == {document.uri}


HOLD = """
import sys
from pathlib import Path
from rag.stores.local.write_lock import write_lock
with write_lock(Path(sys.argv[1]), timeout_s=0):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.scenario("local-store", "A killed writer's turn passes on")
def test_a_writer_waits_for_another_process_as_long_as_it_is_told_and_takes_over_when_that_dies(
    shell: Shell, store: Path, open_here: Callable[..., rag.KnowledgeBase]
) -> None:
    base = open_here()
    base.ingest_text("a heron stands in the reeds", name="a.md")
    holder = shell.start(sys.executable, "-c", HOLD, store / "write.lock")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    impatient = LocalKnowledgeStore(
        store,
        analyzer=Analyzer(),
        embedder=base.parts.store.stats().manifest.embedder,
        fusion=ReciprocalRankFusion(),
        lock_timeout_s=0.2,
    )
    (document,) = base.documents()
    started = time.monotonic()
    with pytest.raises(StoreLockedError) as caught:
        impatient.delete_documents([document.doc_id])
    assert 0.2 <= time.monotonic() - started < LOCK_TIMEOUT_S  # as told, not as usual
    assert str(store) in caught.value.message
    assert base.search("heron", mode="lexical").hits  # a reader takes no part in this
    holder.send_signal(signal.SIGKILL)
    holder.wait(LONGEST_S)
    assert impatient.delete_documents([document.doc_id]) == 1
    impatient.close()


def test_a_reader_that_opened_before_the_first_ingest_follows_it(
    shell: Shell, folder: Path, open_here: Callable[..., rag.KnowledgeBase]
) -> None:
    with pytest.raises(StoreNotInitialisedError):
        open_here(create=False)
    with pytest.raises(StoreNotInitialisedError):
        open_here(readonly=True)
    reader = open_here()
    assert reader.lookup("beacon7").reason == "empty_index"
    ended(shell.rag("ingest", folder))
    assert reader.search("beacon7", mode="lexical").hits[0].doc_path == marked_corpus.name(7)
    watcher = open_here(readonly=True)
    assert watcher.search("beacon7").hits == reader.search("beacon7").hits
    with pytest.raises(ReadonlyError):
        watcher.ingest(folder)
    with pytest.raises(ReadonlyError):
        watcher.parts.store.delete_documents([reader.documents()[0].doc_id])
    with pytest.raises(ReadonlyError):
        watcher.parts.store.repair()
