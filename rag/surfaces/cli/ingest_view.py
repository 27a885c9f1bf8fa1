"""How an ingest run looks: a bar on a terminal, plain lines elsewhere, a summary at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rag.ingest.protocol import IngestProgress
from rag.ingest.records import FileOutcome, IngestReport
from rag.surfaces.cli.terminal import Page, note, shown
from rag.surfaces.counted import counted

LINE_EVERY_S = 2.0  # plain progress lines: often enough to see life, rare enough for a log
MAX_LISTED = 20


@contextmanager
def progress_for(
    *, quiet: bool, work: str = "ingest", unit: str = "files", chunks: str = "chunks embedded"
) -> Iterator[IngestProgress | None]:
    """Yield a listener that suits where stderr goes; None where nothing should be said.

    ``work``, ``unit`` and ``chunks`` name what is done, to what, and what is counted beside it.
    """
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar(work, unit, chunks) as bar:
            yield bar
    else:
        yield _PlainLines(unit, chunks)


class _PlainLines:
    """A line every few seconds, for logs and pipes."""

    def __init__(self, unit: str, chunks: str) -> None:
        self._unit, self._chunks = unit, chunks
        self._total = self._done = self._embedded = 0
        self._last = time.monotonic()

    def scanned(self, files: int) -> None:
        self._total = files
        note(f"found {counted(files, self._unit.removesuffix('s'))}")

    def file_done(self, uri: str, outcome: str) -> None:
        self._done += 1
        self._say()

    def embedded(self, chunks: int) -> None:
        self._embedded += chunks
        self._say()

    def indexing(self, step: str, done: int, total: int) -> None:
        if time.monotonic() - self._last >= LINE_EVERY_S:
            self._last = time.monotonic()
            note(f"vector index: {step} {done}/{total} chunks")

    def _say(self) -> None:
        if time.monotonic() - self._last >= LINE_EVERY_S:
            self._last = time.monotonic()
            note(f"{self._done}/{self._total} {self._unit}, {self._embedded} {self._chunks}")


@contextmanager
def _bar(work: str, unit: str, chunks: str) -> Iterator[IngestProgress]:
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
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn(f"{unit}  {{task.fields[chunks]}} {chunks}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(progress, progress.add_task(work, total=None, chunks=0))


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

    def indexing(self, step: str, done: int, total: int) -> None:
        self._progress.update(  # type: ignore[attr-defined]  # rich is imported late
            self._task, description=f"vector index: {step}", completed=done, total=total
        )


def print_report(report: IngestReport, *, every_file: bool) -> None:
    """Print what a run did: the counts, and every file that needs a look."""
    page = Page()
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
        if count
    ]
    files = counted(report.scanned, "file")
    page.line(f"{files} in {report.duration_ms / 1000:.1f} s: {', '.join(parts) or 'nothing'}")
    if report.chunks_written:
        line = f"{counted(report.chunks_written, 'chunk')} written"
        if report.embedder != "none":
            line += (
                f"; {report.chunks_embedded} embedded by {report.embedder}, "
                f"{counted(report.vectors_from_cache, 'vector')} from the cache"
            )
        page.line(line)
    if report.chunks_not_embedded and report.embedder != "none":
        number = report.chunks_not_embedded
        found = "it is found by its words" if number == 1 else "they are found by their words"
        left_out = counted(number, "chunk is", "chunks are")
        page.line(f"{left_out} in scripts this embedder does not read; {found}")
    for warning in report.warnings:
        page.line(f"note: {warning}")
    _print_files(page, report, every_file=every_file)


def _print_files(page: Page, report: IngestReport, *, every_file: bool) -> None:
    troubled = (FileOutcome.SKIPPED, FileOutcome.FAILED)
    listed = [file for file in report.files if every_file or file.outcome in troubled]
    shown_files = listed if every_file else listed[:MAX_LISTED]
    for file in shown_files:
        why = " ".join(filter(None, (str(file.reason or ""), file.detail and f"({file.detail})")))
        page.line(f"{file.outcome:9} {shown(file.uri)}  {shown(why)}", indent=2)
    if len(listed) > len(shown_files):
        page.line(f"… and {len(listed) - len(shown_files)} more; see them with --files", indent=2)
