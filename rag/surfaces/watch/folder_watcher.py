"""Ingests a folder again whenever its files change, and goes on whatever happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Protocol

from rag.errors import MissingExtraError, PathNotFoundError, RagError
from rag.ingest.protocol import IngestProgress
from rag.ingest.records import IngestReport
from rag.platform.at_path import real_path
from rag.platform.logs import get_logger

try:
    from watchfiles import watch

    from rag.surfaces.watch.change_filter import ChangeFilter
except ModuleNotFoundError:
    raise MissingExtraError(
        "watching needs the package watchfiles",
        given="watchfiles",
        allowed="an installation with the extra watch",
        hint="pip install 'rag-evidence[watch]'",
    ) from None

QUIET_S = 0.3  # an editor's save is several changes within a few milliseconds
LONGEST_WAIT = 10  # times the quiet time: files that never rest are read all the same
TICK_MS = 250  # how soon a stop, a retry that is due or a vanished folder is noticed
GONE_POLL_S = 0.5
FIRST_RETRY_S = 2.0  # doubled with every failure in a row
LAST_RETRY_S = 60.0

_log = get_logger(__name__)


class WatchListener(Protocol):
    """Hears what a watcher does, in the watcher's thread; every method returns at once."""

    def ingested(self, report: IngestReport) -> None:
        """A run is over; most change nothing."""

    def failed(self, error: RagError, retry_s: float) -> None:
        """A run failed, and the next attempt is so many seconds away, or at the next change."""


class FolderWatcher:
    """Keeps a base in line with a folder: once at the start, then after every burst of changes.

    An ingest is the caller's function, so that a server hands in its own open base. Look-ups on
    that base go on meanwhile. A run that fails (a locked store, a model's server that is down, a
    folder that was moved away) is told and tried again; a file that cannot be read is a line of
    the report and stops nothing.

    Args:
        folder: The folder to watch.
        ingest: Brings the base in line with the folder; called in one thread, one at a time.
        keep_out: Where the base writes, in case that is inside the folder.
        quiet_s: Seconds without a change that end a burst.
    """

    def __init__(
        self,
        folder: Path,
        ingest: Callable[[IngestProgress], IngestReport],
        listener: WatchListener,
        *,
        keep_out: Iterable[Path] = (),
        quiet_s: float = QUIET_S,
    ) -> None:
        self._folder = real_path(folder)
        self._ingest = ingest
        self._listener = listener
        self._filter = ChangeFilter(self._folder, keep_out=keep_out)
        self._quiet_ms = max(1, round(quiet_s * 1_000))
        self._due: float | None = None
        self._retry_s = FIRST_RETRY_S

    def run(self, stop: Event) -> None:
        """Watch until ``stop`` is set; a run under way ends at its next step."""
        self._due = time.monotonic()
        gone_before = False
        while not stop.is_set():
            if self._folder.is_dir():
                if gone_before:  # what is there again is read at once, not at the next attempt
                    self._due, self._retry_s = time.monotonic(), FIRST_RETRY_S
                gone_before = False
                self._watch(stop)
                continue
            gone_before = True
            if self._is_due():
                gone = PathNotFoundError(
                    f"the folder {self._folder} is gone", given=str(self._folder)
                )
                self._failed(gone)
            stop.wait(GONE_POLL_S)

    @contextmanager
    def in_background(self) -> Iterator[None]:
        """Watch in a thread of its own while inside."""
        stop = Event()
        thread = Thread(target=self._run_logged, args=(stop,), name="rag-watch")
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _run_logged(self, stop: Event) -> None:
        try:
            self.run(stop)
        except BaseException as error:
            _log.error("watching ended", folder=str(self._folder), error=repr(error))
            raise

    def _watch(self, stop: Event) -> None:
        """Watch this very folder, until it is another one or gone."""
        watched = self._identity()
        changes = watch(
            self._folder,
            watch_filter=self._filter,
            step=self._quiet_ms,
            debounce=self._quiet_ms * LONGEST_WAIT,
            stop_event=stop,
            rust_timeout=TICK_MS,
            yield_on_timeout=True,  # the first run waits for a tick, so that it misses no change
            ignore_permission_denied=True,
        )
        for changed in changes:
            if self._identity() != watched:
                self._due = time.monotonic()
                return
            if changed:
                self._due = time.monotonic()
            if self._is_due() and not stop.is_set():
                self._run_once(stop)

    def _identity(self) -> tuple[int, int] | None:
        try:
            info = self._folder.stat()
        except OSError:
            return None
        return info.st_dev, info.st_ino

    def _is_due(self) -> bool:
        return self._due is not None and time.monotonic() >= self._due

    def _run_once(self, stop: Event) -> None:
        self._due = None
        try:
            report = self._ingest(_Stoppable(stop))
        except _StoppedError:
            return
        except RagError as error:
            self._failed(error)
        else:
            self._retry_s = FIRST_RETRY_S
            self._listener.ingested(report)

    def _failed(self, error: RagError) -> None:
        self._due = time.monotonic() + self._retry_s
        self._listener.failed(error, self._retry_s)
        self._retry_s = min(self._retry_s * 2, LAST_RETRY_S)


class _StoppedError(Exception):
    """Ends an ingest whose watcher is to stop; never leaves the watcher."""


class _Stoppable:
    """Hears an ingest's steps only to end it when the watcher is to stop."""

    def __init__(self, stop: Event) -> None:
        self._stop = stop

    def scanned(self, files: int) -> None:
        self._check()

    def file_done(self, uri: str, outcome: str) -> None:
        self._check()

    def embedded(self, chunks: int) -> None:
        self._check()

    def indexing(self, step: str, done: int, total: int) -> None:
        self._check()

    def _check(self) -> None:
        if self._stop.is_set():
            raise _StoppedError
