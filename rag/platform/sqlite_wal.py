"""Puts a SQLite file into write-ahead logging, also where several processes open a new one."""

from __future__ import annotations

import sqlite3
import time

PAUSE_S = 0.01  # the switch itself takes about a millisecond


def enter_wal(connection: sqlite3.Connection, timeout_s: float) -> None:
    """Switch to write-ahead logging, for any number of readers beside one writer.

    Where another connection makes the same switch or holds a lock at that moment, SQLite answers
    at once that the database is locked: the connection's own time-out does not hold for this
    statement (https://sqlite.org/wal.html, section 8, and ``sqlite3_busy_handler``).

    Raises:
        sqlite3.OperationalError: the database stays locked for ``timeout_s`` seconds, or cannot
            be written.
    """
    ends = time.monotonic() + timeout_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > ends:
                raise
            time.sleep(PAUSE_S)
        else:
            return
