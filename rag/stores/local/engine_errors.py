"""The one place where SQLite's exceptions become ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.errors import (
    ReadonlyError,
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreNotInitialisedError,
    StoreTimeoutError,
)
from rag.stores.place import unusable_place

_PRIMARY_CODE = 0xFF  # SQLite's extended codes keep the primary one in their low byte

DAMAGED_HINT = "run: rag doctor --repair; if that fails, move the folder away and ingest again"


@contextmanager
def engine_errors(path: Path) -> Iterator[None]:
    """Raise what SQLite raises inside as a ``StoreError`` that names ``path``."""
    try:
        yield
    except sqlite3.Error as error:
        raise _mapped(error, path) from error
    except UnicodeEncodeError as error:
        raise StoreError(
            f"a text holds {error.object[error.start : error.end]!r}, which is no character",
            given=str(path),
            hint="replace lone surrogates before storing the text",
        ) from error
    except OSError as error:
        raise unusable_place(str(path), error.strerror or str(error)) from error


def damaged(path: Path, why: str) -> StoreDamagedError:
    """Return the error for a path that holds no store of ours, or a broken one."""
    return StoreDamagedError(
        f"{path} is not a usable local store: {why}; nothing was changed",
        given=str(path),
        allowed="a folder made by this package, or a path where there is nothing yet",
        hint=DAMAGED_HINT,
    )


def _mapped(error: sqlite3.Error, path: Path) -> StoreError | ReadonlyError:
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLockedError(
            f"another process is writing to {path} and did not finish in time",
            given=str(path),
            hint="wait for the other process and try again; nothing needs to be deleted",
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT):
        return damaged(path, str(error))
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreNotInitialisedError(
            f"cannot open the store at {path}: {error}",
            given=str(path),
            hint="check the path and its permissions, or ingest something first",
        )
    if code == sqlite3.SQLITE_READONLY:
        return ReadonlyError(
            f"the store at {path} cannot be written: {error}",
            given=str(path),
            hint="check the permissions of the folder; to search it as it is, add --readonly "
            "(RAG_READONLY=true)",
        )
    if code == sqlite3.SQLITE_FULL:
        return StoreError(
            f"the disk that holds {path} is full; the write was undone",
            given=str(path),
            hint="free some space and ingest again",
        )
    if code == sqlite3.SQLITE_INTERRUPT:
        return StoreTimeoutError(f"the store at {path} did not answer in time", given=str(path))
    return StoreError(f"the store at {path} failed: {error}", given=str(path))
