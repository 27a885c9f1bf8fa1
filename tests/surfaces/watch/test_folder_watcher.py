"""A watcher in a thread beside a real base whose folder changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import pytest

import rag
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import RagError, StoreLockedError
from rag.ingest.protocol import IngestProgress
from rag.ingest.records import IngestReport
from rag.settings import load_settings
from rag.surfaces.watch import folder_watcher
from rag.surfaces.watch.folder_watcher import FolderWatcher
from tests.surfaces.watch.waiting import DEADLINE_S, wait_until

QUIET_S = 0.05


@dataclass(slots=True)
class Heard:
    """Keeps all that a watcher tells."""

    reports: list[IngestReport] = field(default_factory=list)
    errors: list[RagError] = field(default_factory=list)

    def ingested(self, report: IngestReport) -> None:
        self.reports.append(report)

    def failed(self, error: RagError, retry_s: float) -> None:
        self.errors.append(error)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "heron.md").write_text("# Heron\n\nThe heron waits.\n", encoding="utf-8")
    return folder


@pytest.fixture
def base(folder: Path) -> Iterator[KnowledgeBase]:
    """A base inside the very folder that is watched."""
    settings = load_settings(
        store={"uri": str(folder / "kb")}, embedding={"embedder": "hashing", "cache": False}
    )
    with rag.open(settings) as base:
        yield base


@contextmanager
def watched(
    folder: Path,
    base: KnowledgeBase,
    ingest: Callable[[IngestProgress], IngestReport] | None = None,
) -> Iterator[Heard]:
    """Watch while inside, from after the first run on."""
    heard = Heard()
    watcher = FolderWatcher(
        folder,
        ingest or (lambda progress: base.ingest(folder, progress=progress)),
        heard,
        keep_out=[Path(base.settings.store.uri)],
        quiet_s=QUIET_S,
    )
    with watcher.in_background():
        wait_until(lambda: bool(heard.reports or heard.errors), "the first run is over")
        yield heard


def uris(base: KnowledgeBase) -> set[str]:
    return {document.uri for document in base.documents()}


@pytest.mark.scenario("watching", "A file that is written, edited, renamed and deleted")
def test_every_change_of_a_file_reaches_the_base(folder: Path, base: KnowledgeBase):
    with watched(folder, base):
        assert uris(base) == {"heron.md"}
        file = folder / "stork.md"
        file.write_text("# Stork\n\nThe stork naps.\n", encoding="utf-8")
        wait_until(lambda: "stork.md" in uris(base), "the new file is there")
        file.write_text("# Stork\n\nThe stork preens.\n", encoding="utf-8")
        wait_until(
            lambda: bool(base.search("preens", mode="lexical").hits), "the edited text is found"
        )
        assert not base.search("naps", mode="lexical").hits
        file.rename(folder / "ibis.md")
        wait_until(lambda: uris(base) == {"heron.md", "ibis.md"}, "the file has its new name")
        (folder / "ibis.md").unlink()
        wait_until(lambda: uris(base) == {"heron.md"}, "the deleted file is gone")


def test_a_folder_that_is_renamed_takes_its_files_along(folder: Path, base: KnowledgeBase):
    (folder / "old").mkdir()
    (folder / "old" / "crane.md").write_text("# Crane\n", encoding="utf-8")
    with watched(folder, base):
        (folder / "old").rename(folder / "new")
        wait_until(lambda: uris(base) == {"heron.md", "new/crane.md"}, "the folder has its name")


def test_an_ignore_file_takes_effect_at_once(folder: Path, base: KnowledgeBase):
    with watched(folder, base):
        (folder / ".ragignore").write_text("heron.md\n", encoding="utf-8")
        wait_until(lambda: uris(base) == set(), "the ignored file has left the base")


@pytest.mark.scenario("watching", "A burst of changes")
def test_a_burst_of_changes_is_one_run_and_the_base_s_own_writes_are_none(
    folder: Path, base: KnowledgeBase
):
    """Twenty files at once take few runs; a base that woke its watcher would never rest."""
    with watched(folder, base) as heard:
        for number in range(20):
            (folder / f"note{number}.md").write_text(f"# Note {number}\n", encoding="utf-8")
        wait_until(lambda: len(uris(base)) == 21, "all files are there")
        (folder / "last.md").write_text("# Last\n", encoding="utf-8")
        wait_until(lambda: "last.md" in uris(base), "the last file is there")
    assert len(heard.reports) <= 6  # the first, the last, and the burst, which may be seen in parts


@pytest.mark.scenario("watching", "A file that cannot be read")
def test_a_broken_file_is_reported_and_stops_nothing(folder: Path, base: KnowledgeBase):
    with watched(folder, base) as heard:
        (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
        (folder / "fine.md").write_text("# Fine\n", encoding="utf-8")
        wait_until(lambda: "fine.md" in uris(base), "the other file is there")
        wait_until(
            lambda: heard.reports[-1].skipped_by_reason.get("unreadable") == 1,
            "the broken file is reported",
        )
    assert heard.errors == []


@pytest.mark.scenario("watching", "A store that another process holds")
def test_a_run_that_fails_is_told_and_tried_again(
    folder: Path, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(folder_watcher, "FIRST_RETRY_S", 0.01)
    failures = iter([StoreLockedError("held"), StoreLockedError("held")])

    def ingest(progress: IngestProgress) -> IngestReport:
        error = next(failures, None)
        if error is not None:
            raise error
        return base.ingest(folder, progress=progress)

    with watched(folder, base, ingest) as heard:
        wait_until(lambda: uris(base) == {"heron.md"}, "the third attempt has succeeded")
    assert [error.code for error in heard.errors] == ["store_locked", "store_locked"]


@pytest.mark.scenario("watching", "A folder that is moved away and back")
def test_a_folder_that_vanishes_deletes_nothing_and_is_watched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(folder_watcher, "FIRST_RETRY_S", 0.01)
    monkeypatch.setattr(folder_watcher, "GONE_POLL_S", 0.02)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "heron.md").write_text("# Heron\n", encoding="utf-8")
    settings = load_settings(
        store={"uri": str(tmp_path / "kb")}, embedding={"embedder": "hashing", "cache": False}
    )
    with rag.open(settings) as base, watched(folder, base) as heard:
        shutil.move(folder, tmp_path / "away")
        wait_until(lambda: bool(heard.errors), "the loss is told")
        assert heard.errors[0].code == "path_not_found"
        assert uris(base) == {"heron.md"}
        shutil.move(tmp_path / "away", folder)
        (folder / "egret.md").write_text("# Egret\n", encoding="utf-8")
        wait_until(lambda: "egret.md" in uris(base), "the folder is watched again")


@pytest.mark.scenario("watching", "A look-up during an ingest")
def test_look_ups_go_on_while_a_run_is_under_way(folder: Path, base: KnowledgeBase):
    base.ingest(folder)
    inside, go_on = Event(), Event()

    def ingest(progress: IngestProgress) -> IngestReport:
        inside.set()
        assert go_on.wait(DEADLINE_S)
        return base.ingest(folder, progress=progress)

    heard = Heard()
    watcher = FolderWatcher(folder, ingest, heard, quiet_s=QUIET_S)
    with watcher.in_background():
        assert inside.wait(DEADLINE_S)
        assert base.lookup("heron").evidence
        assert heard.reports == []
        go_on.set()
        wait_until(lambda: bool(heard.reports), "the run is over")


@pytest.mark.scenario("watching", "A stop during an ingest")
def test_a_stop_ends_a_run_at_its_next_step_and_keeps_what_was_written(
    folder: Path, base: KnowledgeBase
):
    stop, steps = Event(), []

    def ingest(progress: IngestProgress) -> IngestReport:
        progress.scanned(2)
        steps.append("scanned")
        stop.set()
        progress.file_done("heron.md", "new")
        steps.append("never")
        raise AssertionError("the step before ends the run")

    heard = Heard()
    thread = Thread(target=FolderWatcher(folder, ingest, heard, quiet_s=QUIET_S).run, args=(stop,))
    thread.start()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()
    assert steps == ["scanned"]
    assert heard == Heard()
