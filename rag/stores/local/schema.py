"""The tables of a local store, and how an older file becomes a newer one."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

APPLICATION_ID = 0x52_41_47_31  # "RAG1" in the file's header: tells our files from others
SCHEMA_VERSION = 1

# A chunk's row number is never used twice, so a reader's arrays stay true as rows come and go.
# ``words`` and ``heading_words`` are the chunk's lengths in analysed words; ``id_key`` is the
# beginning of its id as a number, by which ties are ordered without reading the id.
# ``chunk_facts`` holds what a reader keeps in memory, so that loading it reads no text.
# ``dead_rows`` remembers which rows went at which revision, so that a reader can follow.
_TABLES = """
CREATE TABLE state (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE sources (
    name TEXT PRIMARY KEY, root TEXT NOT NULL, trust TEXT NOT NULL, source_type TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE documents (
    doc INTEGER PRIMARY KEY AUTOINCREMENT,
    doc_id TEXT NOT NULL UNIQUE,
    uri TEXT NOT NULL,
    title TEXT NOT NULL,
    media TEXT NOT NULL,
    language TEXT NOT NULL,
    tags TEXT NOT NULL,
    source TEXT NOT NULL,
    source_type TEXT NOT NULL,
    trust TEXT NOT NULL,
    trust_level INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    chunk_count INTEGER NOT NULL,
    byte_size INTEGER NOT NULL,
    indexed_at TEXT NOT NULL,
    indexed_us INTEGER NOT NULL,
    generation INTEGER NOT NULL
);
CREATE INDEX documents_by_place ON documents (source, uri, doc_id);

CREATE TABLE document_tags (
    tag TEXT NOT NULL,
    doc INTEGER NOT NULL REFERENCES documents (doc) ON DELETE CASCADE,
    PRIMARY KEY (tag, doc)
) WITHOUT ROWID;
CREATE INDEX tags_by_document ON document_tags (doc);

CREATE TABLE chunks (
    row INTEGER PRIMARY KEY,
    chunk_id TEXT NOT NULL UNIQUE,
    id_key INTEGER NOT NULL,
    doc INTEGER NOT NULL REFERENCES documents (doc) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    words INTEGER NOT NULL,
    heading_words INTEGER NOT NULL,
    heading_path TEXT NOT NULL,
    span_kind TEXT NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX chunk_facts ON chunks (doc, ordinal, words, heading_words, id_key);

CREATE TABLE embedders (
    embedder INTEGER PRIMARY KEY,
    name TEXT NOT NULL, revision TEXT NOT NULL, dimensions INTEGER NOT NULL,
    UNIQUE (name, revision, dimensions)
);
CREATE TABLE vectors (
    row INTEGER PRIMARY KEY REFERENCES chunks (row) ON DELETE CASCADE,
    embedder INTEGER NOT NULL REFERENCES embedders (embedder),
    vector BLOB NOT NULL
);

CREATE TABLE dead_rows (revision INTEGER NOT NULL, row INTEGER NOT NULL);
CREATE INDEX dead_rows_by_revision ON dead_rows (revision, row);

CREATE TABLE vector_index (
    build TEXT PRIMARY KEY,
    up_to_row INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    probes INTEGER NOT NULL
);
"""

# The words come encoded, so that the tokeniser takes each as it is. ``postings`` reads the same
# index the other way round: each word with the rows and columns it stands in.
_WORD_TABLES = """
CREATE VIRTUAL TABLE words USING fts5 (heading, body, tokenize = 'ascii');
CREATE VIRTUAL TABLE postings USING fts5vocab (words, 'instance');
"""

_MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {}
"""From a schema version to the step that makes the next of it, run in the first write."""


def create_tables(connection: sqlite3.Connection, *, manifest: Mapping[str, str | None]) -> None:
    """Lay the tables and the manifest inside the open transaction."""
    _execute(connection, _TABLES)
    _execute(connection, _WORD_TABLES)
    values = {
        **manifest,
        "store_id": uuid.uuid4().hex,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": 0,
        "dead_rows_since": 0,
        "next_row": 1,
        "documents": 0,
        "chunks": 0,
        "vectors": 0,
    }
    connection.executemany("INSERT INTO state (key, value) VALUES (?, ?)", values.items())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def create_word_tables_anew(connection: sqlite3.Connection) -> None:
    """Replace the index of words by an empty one, whatever state it is in."""
    connection.execute("DROP TABLE IF EXISTS postings")
    connection.execute("DROP TABLE IF EXISTS words")
    _execute(connection, _WORD_TABLES)


def _execute(connection: sqlite3.Connection, statements: str) -> None:
    # not executescript, which would commit the open transaction
    for statement in statements.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring tables of an older ``version`` to this one inside the open transaction."""
    for step in range(version, SCHEMA_VERSION):
        _MIGRATIONS[step](connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
