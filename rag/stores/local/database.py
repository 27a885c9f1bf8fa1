"""The SQLite file of a store: who may open it, one transaction to read in, one to write in."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from rag.errors import (
    IndexIdentityMismatchError,
    ReadonlyError,
    StoreError,
    StoreNotInitialisedError,
)
from rag.platform.sqlite_wal import enter_wal
from rag.stores.local.engine_errors import engine_errors
from rag.stores.local.file_version import file_version
from rag.stores.local.filter_sql import register_functions
from rag.stores.local.schema import SCHEMA_VERSION, create_tables, migrate
from rag.stores.local.write_lock import write_lock
from rag.stores.place import foreign_place, look_for_store

DATABASE_FILE = "rag.sqlite"
LOCK_FILE = "write.lock"
BUSY_TIMEOUT_S = 10.0  # for the moments in which SQLite itself locks, such as recovery
READ_CACHE_KIB = 4_096  # per thread; the system's own cache holds the rest
WRITE_CACHE_KIB = 65_536  # while writing: a batch's pages stay until its commit
WAL_LIMIT_BYTES = 64_000_000  # what a checkpoint leaves of the log


# What a store's folder may hold before its database is laid, or after that was lost; apart from
# hidden files, which systems leave anywhere, and the folder that is on every freshly made disk.
_OWN_NAMES = frozenset({LOCK_FILE, "index.lock", "lance", "answerability.json", "lost+found"})

_left_behind: list[object] = []
"""Connections that a forked child inherited: SQLite forbids it to use them, or to close them."""


@dataclass(slots=True, weakref_slot=True, eq=False)
class _Opened:
    connection: sqlite3.Connection
    file: tuple[int, int]  # device and inode: another file at the path is another store
    process: int = field(default_factory=os.getpid)
    depth: int = 0  # of nested reads


class Database:
    """Connections to one store's file, one per thread.

    Nothing is created before the first write. A reader sees one state of the store from the
    begin to the end of its ``read``, whatever is written meanwhile.
    """

    def __init__(self, folder: Path, *, readonly: bool, lock_timeout_s: float) -> None:
        self.folder = folder
        self.path = folder / DATABASE_FILE
        self.readonly = readonly
        self._lock_timeout_s = lock_timeout_s
        self._local = threading.local()
        # weak, so that a thread that ends takes its connection along
        self._opened: weakref.WeakSet[_Opened] = weakref.WeakSet()
        self._guard = threading.Lock()
        self._closed = False

    def exists(self) -> bool:
        """Whether there is a store of ours that was written at least once.

        Raises:
            StoreDamagedError: there is something else at the path.
        """
        with engine_errors(self.folder):
            found = look_for_store(self.folder)
            if not found.exists:
                return False
            if not found.is_folder:
                raise foreign_place(str(self.folder), "a file", "local")
            if not self.path.exists():
                self._refuse_foreign()
                return False
            if self.path.stat().st_size == 0:
                return False
        # Only SQLite may open the file: closing it by hand would lift the locks that this
        # process's connections hold, and the next process to come and go would take the log away
        # from under them (https://sqlite.org/howtocorrupt.html, section 2.2).
        return self._is_laid()

    def _refuse_foreign(self) -> None:
        """Refuse a folder of other files; nobody looks for a store of ours among those."""
        others = sorted(path.name for path in self.folder.iterdir() if not _is_own(path.name))
        if others:
            found = f"a folder with other files, such as {others[0]!r:.80}"
            raise foreign_place(str(self.folder), found, "local")

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection inside a read transaction; nested reads share the outer one.

        Raises:
            StoreNotInitialisedError: nothing was written here yet.
        """
        with engine_errors(self.folder):
            opened = self._mine()
            if opened.depth or opened.connection.in_transaction:
                opened.depth += 1
                try:
                    yield opened.connection
                finally:
                    opened.depth -= 1
                return
            opened.connection.execute("BEGIN")
            opened.depth += 1
            try:
                yield opened.connection
            finally:
                opened.depth -= 1
                opened.connection.execute("ROLLBACK")

    def is_older(self) -> bool:
        """Whether the store exists and a migration is due."""
        with engine_errors(self.folder), contextlib.closing(self._probe()) as connection:
            return 0 < file_version(connection) < SCHEMA_VERSION

    def require_writable(self) -> None:
        """Raise ``ReadonlyError`` where the store was opened for reading only."""
        if self.readonly:
            raise ReadonlyError(
                f"the store at {self.folder} was opened for reading only",
                given=str(self.folder),
                hint="open it without --readonly to write",
            )

    @contextmanager
    def write(self, manifest: Mapping[str, str | None]) -> Iterator[sqlite3.Connection]:
        """Yield a connection inside the one write transaction; it commits at the end or not at all.

        A store that does not exist yet is created with ``manifest``; an older one is migrated.

        Raises:
            ReadonlyError: the store was opened for reading only.
            StoreLockedError: another process is writing and does not finish in time.
        """
        self.require_writable()
        with engine_errors(self.folder):
            exists = self._is_open() or self.exists()
            self.folder.mkdir(parents=True, exist_ok=True)
            with write_lock(self.folder / LOCK_FILE, timeout_s=self._lock_timeout_s):
                connection = self._mine(create=not exists, migrating=True).connection
                connection.execute(f"PRAGMA cache_size = -{WRITE_CACHE_KIB}")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    version = file_version(connection)
                    if version == 0:
                        create_tables(connection, manifest=manifest)
                    elif version < SCHEMA_VERSION:
                        migrate(connection, version)
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:  # SQLite itself ends it when a disk is full
                        connection.execute("ROLLBACK")
                    raise
                finally:
                    connection.execute(f"PRAGMA cache_size = -{READ_CACHE_KIB}")

    def _is_open(self) -> bool:
        opened: _Opened | None = getattr(self._local, "opened", None)
        return opened is not None and opened.file == _file_of(self.path)

    def lock_path(self, name: str) -> Path:
        """Return the path of a lock file of the store."""
        return self.folder / name

    def close(self) -> None:
        """Close every thread's connection."""
        with self._guard:
            self._closed = True
            for opened in [one for one in self._opened if one.process == os.getpid()]:
                with contextlib.suppress(
                    sqlite3.Error
                ):  # one in use elsewhere closes with its thread
                    opened.connection.close()
            self._opened.clear()
        self._local = threading.local()

    def _mine(self, *, create: bool = False, migrating: bool = False) -> _Opened:
        if self._closed:
            raise StoreError(
                f"the store at {self.folder} is closed",
                given=str(self.folder),
                hint="open it again",
            )
        opened: _Opened | None = getattr(self._local, "opened", None)
        if opened is not None and opened.process != os.getpid():
            _left_behind.append(opened)
            opened = None
        if opened is not None and (opened.depth or opened.connection.in_transaction):
            return opened
        file = _file_of(self.path)
        if opened is not None and opened.file == file:
            return opened
        if opened is not None:  # the store was removed or replaced behind this connection
            self._forget(opened)
        if not create and not self.exists():
            raise StoreNotInitialisedError(
                f"there is no index at {self.folder} yet",
                given=str(self.folder),
                allowed="the path of a base that something was ingested into",
                hint="ingest something first: rag ingest FOLDER",
            )
        opened = _Opened(connection=self._connect(), file=_file_of(self.path))
        if not migrating and 0 < (version := file_version(opened.connection)) < SCHEMA_VERSION:
            opened.connection.close()
            raise IndexIdentityMismatchError(
                f"the index at {self.path} has schema version {version};"
                f" this release reads {SCHEMA_VERSION}",
                given=str(version),
                allowed=f"schema version {SCHEMA_VERSION}",
                hint="open it once without --readonly, which brings it up to date",
            )
        with self._guard:
            self._opened.add(opened)
        self._local.opened = opened
        return opened

    def _forget(self, opened: _Opened) -> None:
        self._local.opened = None  # also where nothing takes its place yet
        opened.connection.close()
        with self._guard:
            self._opened.discard(opened)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._uri("ro" if self.readonly else "rwc"),
            uri=True,
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            if not self.readonly:
                enter_wal(connection, BUSY_TIMEOUT_S)
                # a commit survives a crash of the process; after a power cut the newest ones
                # may be missing, never half there
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA cache_size = -{READ_CACHE_KIB}")
            register_functions(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_laid(self) -> bool:
        with engine_errors(self.folder), contextlib.closing(self._probe()) as connection:
            return file_version(connection) > 0

    def _probe(self) -> sqlite3.Connection:
        return sqlite3.connect(self._uri("ro"), uri=True, timeout=BUSY_TIMEOUT_S)

    def _uri(self, mode: str) -> str:
        uri = f"file:{quote(str(self.path.absolute()))}?mode={mode}"
        shared = self.path.with_name(f"{DATABASE_FILE}-shm")
        if mode == "ro" and not shared.exists() and not os.access(self.folder, os.W_OK):
            # a medium that nobody writes to: SQLite needs no file to coordinate by
            uri += "&immutable=1"
        return uri


def _is_own(name: str) -> bool:
    return name in _OWN_NAMES or name.startswith((".", DATABASE_FILE))


def _file_of(path: Path) -> tuple[int, int]:
    """Return what tells the file at a path from a later one there; zeros where there is none."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return 0, 0
    return status.st_dev, status.st_ino
