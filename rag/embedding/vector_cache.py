"""Vectors kept by model and content, so that the same text is never embedded twice."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.embedding.protocol import EmbedderIdentity
from rag.platform.logs import get_logger
from rag.platform.sqlite_wal import enter_wal

log = get_logger(__name__)

BUSY_TIMEOUT_S = 5.0  # another process's batch takes milliseconds; longer means it hangs
MAX_BYTES = 2_000_000_000  # about a million vectors of 384 dimensions
ROOM_MADE = 0.2  # of max_bytes at a time, so that pruning is rare and not a step of every write
UNIT_TOLERANCE = 1e-3  # on the squared length of a stored row; float32 rounding stays below 1e-6
MODEL_ID = "SELECT id FROM model WHERE name = ? AND revision = ? AND dimensions = ?"
APPLICATION_ID = 0x52414756  # "RAGV" in the file's header: this database is a vector cache
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS model (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, revision TEXT NOT NULL,
        dimensions INTEGER NOT NULL, UNIQUE (name, revision, dimensions)
    )""",
    """CREATE TABLE IF NOT EXISTS vector (
        id INTEGER PRIMARY KEY, model_id INTEGER NOT NULL REFERENCES model,
        content_hash TEXT NOT NULL, row BLOB NOT NULL, UNIQUE (model_id, content_hash)
    )""",
    f"PRAGMA application_id = {APPLICATION_ID}",
)


class VectorCache:
    """A SQLite file of unit vectors, shared by any number of processes and threads.

    It only ever saves work: a file that cannot be opened, read or written, or is no cache, is
    reported once through the log and left as it is, and from then on the cache is empty. A row
    that is not a unit vector of the model's length is treated as absent.

    Args:
        path: The file; made with its folders if absent.
        max_bytes: Size from which the vectors stored first make room for new ones.
    """

    def __init__(self, path: Path, /, *, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._usable = True

    def get_many(
        self, identity: EmbedderIdentity, hashes: Sequence[str], /
    ) -> dict[str, NDArray[np.float32]]:
        """Return the known vectors by content hash, each of shape ``(dimensions,)``, float32."""
        with self._lock:
            try:
                return _read(self._open(), identity, hashes) if self._usable else {}
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
                return {}

    def put_many(
        self, identity: EmbedderIdentity, vectors: Mapping[str, NDArray[np.float32]], /
    ) -> None:
        """Keep unit vectors under their content hash, in one transaction; replaces old ones."""
        with self._lock:
            try:
                if self._usable and vectors:
                    _write(self._open(), identity, vectors, self._max_bytes)
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self._path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            try:
                _prepare(connection)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _give_up(self, error: Exception) -> None:
        self._usable = False
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        log.warning(
            "vector cache not used: texts are embedded again",
            path=str(self._path),
            reason=str(error),
            hint="delete the file if it is damaged, or set embedding.cache_path to another place",
        )


def default_cache_path() -> Path:
    """Return where the cache lies unless set: ``rag-evidence`` in the user's cache folder."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "rag-evidence" / "vectors.sqlite"


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables if the file is new; refuse another program's database."""
    if _is_new(connection):
        enter_wal(connection, BUSY_TIMEOUT_S)
        connection.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA:  # in one transaction: nobody sees the tables without the mark
            connection.execute(statement)
        connection.execute("COMMIT")
    connection.execute("PRAGMA synchronous = NORMAL")  # a lost last batch costs nothing


def _is_new(connection: sqlite3.Connection) -> bool:
    # In this order: tables and mark appear at once, so whoever sees tables finds the mark.
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if tables and application != APPLICATION_ID:
        raise sqlite3.DatabaseError("the file is a database of another program")
    return not tables


def _read(
    connection: sqlite3.Connection, identity: EmbedderIdentity, hashes: Sequence[str]
) -> dict[str, NDArray[np.float32]]:
    found = connection.execute(
        "SELECT content_hash, row FROM vector"
        f" WHERE model_id = ({MODEL_ID}) AND content_hash IN (SELECT value FROM json_each(?))",
        (*_key(identity), json.dumps(list(hashes))),
    )
    vectors = {
        content_hash: np.frombuffer(row, dtype="<f4").astype(np.float32)
        for content_hash, row in found
        if isinstance(row, bytes) and len(row) == 4 * identity.dimensions
    }
    return {key: vector for key, vector in vectors.items() if _is_unit(vector)}


def _write(
    connection: sqlite3.Connection,
    identity: EmbedderIdentity,
    vectors: Mapping[str, NDArray[np.float32]],
    max_bytes: int,
) -> None:
    rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
    connection.execute("BEGIN IMMEDIATE")  # wait for a writer now, not half way
    try:
        used = _used_bytes(connection)
        if used > max_bytes:
            _prune(connection, 1 - (1 - ROOM_MADE) * max_bytes / used)
        connection.execute(
            "INSERT OR IGNORE INTO model (name, revision, dimensions) VALUES (?, ?, ?)",
            _key(identity),
        )
        (model_id,) = connection.execute(MODEL_ID, _key(identity)).fetchone()
        connection.executemany(
            "INSERT OR REPLACE INTO vector (model_id, content_hash, row)"
            f" VALUES ({int(model_id)}, ?, ?)",
            rows,
        )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has rolled back already
            connection.execute("ROLLBACK")
        raise


def _used_bytes(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _prune(connection: sqlite3.Connection, share: float) -> None:
    """Drop the rows stored first; the file keeps its size and fills the freed pages again."""
    (count,) = connection.execute("SELECT count(*) FROM vector").fetchone()
    connection.execute(
        "DELETE FROM vector WHERE id IN (SELECT id FROM vector ORDER BY id LIMIT ?)",
        (int(count * share) + 1,),
    )


def _key(identity: EmbedderIdentity) -> tuple[str, str, int]:
    return identity.name, identity.revision, identity.dimensions


def _is_unit(vector: NDArray[np.float32]) -> bool:
    return bool(abs(float(vector @ vector) - 1.0) < UNIT_TOLERANCE)  # False for NaN and infinity
