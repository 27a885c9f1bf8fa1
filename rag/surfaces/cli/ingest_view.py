"""How an ingest run looks: a bar on a terminal, plain lines elsewhere, a summary at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rag.ingest.protocol import IngestProgress
from rag.ingest.records import FileOutcome, IngestReport
from rag.surfaces.cli.terminal import note, shown, stdout_console

LINE_EVERY_S = 2.0  # plain progress lines: often enough to see life, rare enough for a log
MAX_LISTED = 20


@contextmanager
def progress_for(*, quiet: bool) -> Iterator[IngestProgress | None]:
    """Yield a listener that suits where stderr goes; None where nothing should be said."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as bar:
            yield bar
    else:
        yield _PlainLines()


class _PlainLines:
    """A line every few seconds, for logs and pipes."""

    def __init__(self) -> None:
        self._total = self._done = self._embedded = 0
        self._last = time.monotonic()

    def scanned(self, files: int) -> None:
        self._total = files
        note(f"scanned {files} files")

    def file_done(self, uri: str, outcome: str) -> None:
        self._done += 1
        self._say()

    def embedded(self, chunks: int) -> None:
        self._embedded += chunks
        self._say()

    def _say(self) -> None:
        if time.monotonic() - self._last >= LINE_EVERY_S:
            self._last = time.monotonic()
            note(f"{self._done}/{self._total} files, {self._embedded} chunks embedded")


@contextmanager
def _bar() -> Iterator[IngestProgress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("files  {task.fields[chunks]} chunks"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(progress, progress.add_task("ingest", total=None, chunks=0))


class _Bar:
    def __init__(self, progress: object, task: object) -> None:
        self._progress, self._task, self._chunks = progress, task, 0

    def scanned(self, files: int) -> None:
        self._progress.update(self._task, total=files)  # type: ignore[attr-defined]  # rich is imported late

    def file_done(self, uri: str, outcome: str) -> None:
        self._progress.advance(self._task)  # type: ignore[attr-defined]  # rich is imported late

    def embedded(self, chunks: int) -> None:
        self._chunks += chunks
        self._progress.update(self._task, chunks=self._chunks)  # type: ignore[attr-defined]  # rich is imported late


def print_report(report: IngestReport, *, every_file: bool) -> None:
    """Print what a run did: the counts, and every file that needs a look."""
    console = stdout_console()
    parts = [
        f"{count} {name}"
        for name, count in (
            ("new", report.new),
            ("updated", report.updated),
            ("unchanged", report.unchanged),
            ("deleted", report.deleted),
            ("skipped", report.skipped),
            ("failed", report.failed),
        )
        if count or name in ("new", "unchanged")
    ]
    console.print(
        f"{report.scanned} files in {report.duration_ms / 1000:.1f} s: {', '.join(parts)}",
        markup=False,
    )
    if report.chunks_written:
        console.print(
            f"{report.chunks_written} chunks written; {report.chunks_embedded} embedded by "
            f"{report.embedder}, {report.vectors_from_cache} vectors from the cache",
            markup=False,
        )
    if report.chunks_not_embedded and report.embedder != "none":
        console.print(
            f"{report.chunks_not_embedded} chunks are in scripts this embedder does not read; "
            "they are found by their words",
            markup=False,
        )
    listed = [
        file
        for file in report.files
        if every_file or file.outcome in (FileOutcome.SKIPPED, FileOutcome.FAILED)
    ]
    shown_files = listed if every_file else listed[:MAX_LISTED]
    for file in shown_files:
        why = " ".join(filter(None, (str(file.reason or ""), file.detail and f"({file.detail})")))
        console.print(f"  {file.outcome:9} {shown(file.uri)}  {shown(why)}".rstrip(), markup=False)
    if len(listed) > len(shown_files):
        console.print(f"  … and {len(listed) - len(shown_files)} more; see them with --files")
