"""Whose file this is, and of which schema version."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from rag.errors import IndexIdentityMismatchError
from rag.stores.local.engine_errors import damaged
from rag.stores.local.schema import APPLICATION_ID, SCHEMA_VERSION


def file_version(connection: sqlite3.Connection) -> int:
    """Return the schema version, 0 for a file without tables; refuse foreign and newer files."""
    path = Path(connection.execute("PRAGMA database_list").fetchone()[2])
    application, version, tables = _header(connection)
    if application == APPLICATION_ID:
        if version > SCHEMA_VERSION:
            raise IndexIdentityMismatchError(
                f"the index at {path} has schema version {version};"
                f" this release reads up to {SCHEMA_VERSION}",
                given=str(version),
                allowed=f"schema version {SCHEMA_VERSION}",
                hint="use a newer release, or ingest again into another folder",
            )
        return version
    if tables or application:
        raise damaged(path, "the file is a database of another program")
    return 0


def _header(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Return application, schema version and number of tables, all of one state of the file.

    Another process may lay its tables meanwhile; half of before and half of after would look
    like a foreign file.
    """
    inside = connection.in_transaction
    if not inside:
        connection.execute("BEGIN")
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    finally:
        if not inside:
            connection.execute("ROLLBACK")
    return application, version, tables
