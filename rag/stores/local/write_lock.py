"""One writer at a time: a lock on a file, which the system lifts when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.errors import StoreLockedError

POLL_S = 0.02  # how often a waiting writer looks; short beside any write

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def write_lock(path: Path, *, timeout_s: float, doing: str = "writing to") -> Iterator[None]:
    """Hold the lock file ``path`` while inside; threads exclude each other as processes do.

    Raises:
        StoreLockedError: another writer still holds it after ``timeout_s`` seconds.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        give_up = time.monotonic() + timeout_s
        while not _try_lock(handle):
            if time.monotonic() >= give_up:
                raise StoreLockedError(
                    f"another process is {doing} {path.parent}; waited {timeout_s:g} s",
                    given=str(path.parent),
                    hint="wait for the other process and try again; nothing needs to be deleted",
                )
            time.sleep(POLL_S)
        yield
    finally:
        os.close(handle)  # closing gives the lock back
