"""Writes to copies of a base and dies by SIGKILL, each time one SQL statement later.

Run as ``python -m tests.stores.local.killed_writer BASE COPIES POINTS``: makes ``COPIES/<n>``
for POINTS evenly spaced statements n of the write, each left as the dead writer left it.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from pathlib import Path

from rag.testing.store_contract_parts.corpus import document, document_id
from tests.stores.local.opening import local_store

_connect = sqlite3.connect


def new_texts(uri: str) -> list[str]:
    """Return what the dying writer writes for a document."""
    return [f"newer {uri} part{part} raven" for part in range(4)]


def write(folder: Path) -> None:
    """Replace two documents, add one and remove one, as two writes."""
    store = local_store(folder)
    store.write_documents(
        [document(uri, *new_texts(uri), generation=2) for uri in ("a.md", "b.md", "new.md")]
    )
    store.delete_documents([document_id("gone.md")])
    store.close()


def statements(folder: Path, kill_at: int | None = None) -> int:
    """Run the write and count its statements, dying before the one at ``kill_at``."""
    count = 0

    def seen(_: str) -> None:
        nonlocal count
        if count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1

    def connect(*args: object, **options: object) -> sqlite3.Connection:
        connection = _connect(*args, **options)
        connection.set_trace_callback(seen)
        return connection

    sqlite3.connect = connect
    write(folder)
    sqlite3.connect = _connect
    return count


def main(base: Path, copies: Path, points: int) -> None:
    """Make the copies."""
    copies.mkdir()
    trial = copies / "trial"
    if base.exists():
        shutil.copytree(base, trial)
    total = statements(trial)
    for kill_at in sorted({round(n * (total - 1) / (points - 1)) for n in range(points)}):
        copy = copies / str(kill_at)
        if base.exists():
            shutil.copytree(base, copy)
        child = os.fork()
        if child == 0:
            statements(copy, kill_at)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == signal.SIGKILL, (kill_at, status)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
