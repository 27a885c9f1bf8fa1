"""What a watcher does, a line each, for a terminal, a log or a program."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace

from rag.errors import PathNotFoundError, RagError
from rag.ingest.records import FileOutcome, FileReport, IngestReport, SkipReason
from rag.surfaces.counted import counted
from rag.wire import to_wire

# Reasons that a reader of the log should see; the others are choices, not problems.
PROBLEMS = (SkipReason.UNREADABLE, SkipReason.TOO_LARGE, SkipReason.BINARY)


class PlainLines:
    """Prints runs that changed something, problems that are new, failures, and their end.

    With ``as_json`` each is one ``ingest_report.v1`` or ``error.v1`` object a line; a report
    lists the files that are not unchanged.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json = as_json
        self._runs = 0
        self._told: frozenset[FileReport] = frozenset()
        self._failure: RagError | None = None

    def ingested(self, report: IngestReport) -> None:
        """Print what a run changed; the first one, and the first after a failure, always."""
        failure, self._failure = self._failure, None
        problems = frozenset(file for file in report.files if _is_problem(file))
        news = [file for file in report.files if file in problems - self._told]
        self._told = problems
        self._runs += 1
        if not (self._runs == 1 or failure or news or _changed(report)):
            return
        if self._as_json:
            files = tuple(f for f in report.files if f.outcome is not FileOutcome.UNCHANGED)
            self._print_json(to_wire(replace(report, files=files)))
            return
        back = "" if failure is None else _RECOVERED.get(failure.code, "it works again: ")
        self._print(back + _summary(report))
        for file in news:
            why = ", ".join(filter(None, (file.reason and str(file.reason), file.detail)))
            self._print(f"{file.outcome} {file.uri}: {why}")

    def failed(self, error: RagError, retry_s: float) -> None:
        """Print what failed and when it is tried again."""
        self._failure = error
        if self._as_json:
            self._print_json(error.to_wire())
            return
        self._print(f"error: {error.message} ({error.code}); trying again in {retry_s:g} s")
        if error.hint:
            self._print(f"hint: {error.hint}")

    def _print(self, line: str) -> None:
        self._write(f"{time.strftime('%H:%M:%S')}  {line.translate(_SHOWN)}")

    def _print_json(self, value: dict[str, object]) -> None:
        self._write(json.dumps(value, ensure_ascii=False, allow_nan=False))

    def _write(self, line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()  # into a log or pipe at once


_RECOVERED = {PathNotFoundError.code: "the folder is back: "}

# a file's name may hold what a terminal would act on
_SHOWN = dict.fromkeys((*range(32), *range(127, 160)), "\N{REPLACEMENT CHARACTER}")


def _is_problem(file: FileReport) -> bool:
    return file.outcome is FileOutcome.FAILED or file.reason in PROBLEMS


def _changed(report: IngestReport) -> int:
    return report.new + report.updated + report.deleted


def _summary(report: IngestReport) -> str:
    counts = (
        (report.new, "new"),
        (report.updated, "updated"),
        (report.deleted, "deleted"),
        (report.unchanged, "unchanged"),
    )
    said = ", ".join(f"{count} {name}" for count, name in counts if count) or "nothing to read"
    chunks = counted(report.chunks_written, "chunk")
    return f"{said} in {report.duration_ms / 1_000:.1f} s; {chunks} written"
