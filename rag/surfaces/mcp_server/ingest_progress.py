"""An ingest's progress as notifications, and a client's cancellation as its end."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from anyio import from_thread

from rag.surfaces.counted import counted

Report = Callable[[float, float | None, str | None], Coroutine[Any, Any, None]]
"""Sends one notification: progress so far, total where known, and a sentence."""


class NotifyingProgress:
    """Tells a client how its ingest gets on.

    Called in a worker thread of the event loop. At every step a cancelled call ends here: the
    exception passes through the ingest, which keeps the whole documents written before.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._steps = 0

    def scanned(self, files: int) -> None:
        self._say(f"reading {counted(files, 'file')}")

    def file_done(self, uri: str, outcome: str) -> None:
        self._say(f"{uri}: {outcome}")

    def embedded(self, chunks: int) -> None:
        self._say(f"{counted(chunks, 'chunk has its vector', 'chunks have their vector')}")

    def indexing(self, step: str, done: int, total: int) -> None:
        self._say(f"vector index: {step} {done} of {total} chunks")

    def _say(self, sentence: str) -> None:
        from_thread.check_cancelled()
        self._steps += 1  # the protocol wants numbers that grow; how many will come is not known
        from_thread.run(self._report, float(self._steps), None, sentence)
