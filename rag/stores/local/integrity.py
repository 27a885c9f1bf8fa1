"""Whether catalogue, words, vectors and index agree, and mending where they do not."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator

from rag.errors import StoreDamagedError
from rag.ingest.index_text import heading_text
from rag.stores.local.engine import LocalEngine
from rag.stores.local.engine_errors import DAMAGED_HINT
from rag.stores.local.filter_sql import encodable
from rag.stores.local.schema import create_word_tables_anew
from rag.stores.local.state import State, write_state
from rag.stores.local.vector_index import VectorIndex
from rag.stores.records import HealthCheck
from rag.text import Analyzer, encode_terms

_REPAIR = "mend it with: rag doctor --repair"
_SHOWN = 3  # findings named in a line
_BATCH = 1_000  # chunks analysed at a time when words are indexed anew

# Documents that do not have the chunks they say, in order without a gap.
_TORN_DOCUMENTS = """
SELECT d.doc, d.uri FROM documents AS d LEFT JOIN chunks AS c USING (doc)
GROUP BY d.doc HAVING count(c.row) <> d.chunk_count
    OR (count(c.row) > 0 AND (min(c.ordinal) <> 0 OR max(c.ordinal) <> d.chunk_count - 1))
"""
_ORPHAN_CHUNKS = "SELECT row FROM chunks WHERE doc NOT IN (SELECT doc FROM documents)"
_UNFIT_VECTORS = """
SELECT v.row FROM vectors AS v LEFT JOIN embedders AS e USING (embedder)
WHERE v.row NOT IN (SELECT row FROM chunks) OR e.embedder IS NULL
    OR length(v.vector) <> 4 * e.dimensions
"""
_ORPHAN_TAGS = "SELECT doc FROM document_tags WHERE doc NOT IN (SELECT doc FROM documents)"


class IntegrityCheck:
    """Looks at every row of a store; for a health report, not for every day."""

    def __init__(self, engine: LocalEngine, analyzer: Analyzer, index: VectorIndex) -> None:
        self._engine = engine
        self._analyzer = analyzer
        self._index = index

    def check(self) -> tuple[HealthCheck, ...]:
        """Return one line per thing that can be wrong, all of one state of the store."""
        with self._engine.view() as view:
            connection = view.connection
            damage = _file_damage(connection)
            if damage:  # nothing that is read from a broken file can be trusted
                return (_line("file", damage),)
            return (
                _line("file", ()),
                _line("documents", _torn(connection)),
                _line("words", _words_trouble(connection)),
                _line("vectors", _unfit(connection)),
                _line("counts", _count_trouble(connection, view.state)),
                _line("vector index", filter(None, [self._index.trouble(view)])),
            )

    def repair(self) -> tuple[str, ...]:
        """Mend what can be mended, in one transaction; return one sentence per thing done.

        Raises:
            StoreDamagedError: the file itself is broken beyond its indexes.
        """
        done: list[str] = []
        with self._engine.write() as (connection, state):
            done += _mend_file(connection, str(self._engine.database.path))
            done += _remove_torn(connection)
            done += _remove_unfit(connection)
            if list(_words_trouble(connection)):
                done.append(self._index_words_anew(connection))
            if done or list(_count_trouble(connection, state)):
                done += _count_anew(connection, state)
        if self._index.build():
            done.append("Built the vector index anew.")
        return tuple(done)

    def _index_words_anew(self, connection: sqlite3.Connection) -> str:
        create_word_tables_anew(connection)
        chunks = connection.execute(
            "SELECT c.row, d.title, c.heading_path, c.text FROM chunks AS c"
            " JOIN documents AS d USING (doc) ORDER BY c.row"
        )
        count = 0
        while fetched := chunks.fetchmany(_BATCH):
            rows = []
            for row, title, headings, text in fetched:
                heading = self._analyzer.terms(heading_text(title, tuple(json.loads(headings))))
                body = self._analyzer.terms(text)
                rows.append((row, heading, body))
            connection.executemany(
                "INSERT INTO words (rowid, heading, body) VALUES (?, ?, ?)",
                [
                    (row, encodable(encode_terms(heading)), encodable(encode_terms(body)))
                    for row, heading, body in rows
                ],
            )
            connection.executemany(
                "UPDATE chunks SET words = ?, heading_words = ? WHERE row = ?",
                [(len(body), len(heading), row) for row, heading, body in rows],
            )
            count += len(rows)
        return f"Indexed the words of {count} chunks anew."


def _line(name: str, troubles: Iterable[str]) -> HealthCheck:
    found = list(troubles)
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return HealthCheck(
        name=name,
        ok=not found,
        detail="; ".join(found[:_SHOWN]) + more if found else "in order",
        hint=_REPAIR if found else None,
    )


def _file_damage(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong with the pages and indexes of its file."""
    try:
        found = [text for (text,) in connection.execute("PRAGMA quick_check(10)")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def _torn(connection: sqlite3.Connection) -> Iterator[str]:
    for _, uri in connection.execute(_TORN_DOCUMENTS):
        yield f"{uri} does not have all its chunks"
    for (row,) in connection.execute(_ORPHAN_CHUNKS):
        yield f"chunk row {row} has no document"
    for (doc,) in connection.execute(_ORPHAN_TAGS):
        yield f"tags of document number {doc}, which is gone"


def _unfit(connection: sqlite3.Connection) -> Iterator[str]:
    for (row,) in connection.execute(_UNFIT_VECTORS):
        yield f"the vector of row {row} has no chunk or not its embedder's length"


def _words_trouble(connection: sqlite3.Connection) -> Iterator[str]:
    """Compare the index of words with the catalogue: rows both ways, then the words' number."""
    try:
        for sentence, query in (
            (
                "{} chunks without words",
                "SELECT row FROM chunks EXCEPT SELECT id FROM words_docsize",
            ),
            (
                "words of {} chunks that are gone",
                "SELECT id FROM words_docsize EXCEPT SELECT row FROM chunks",
            ),
        ):
            (count,) = connection.execute(f"SELECT count(*) FROM ({query})").fetchone()
            if count:
                yield sentence.format(count)
        (stored,) = connection.execute("SELECT count(*) FROM postings").fetchone()
        (counted,) = connection.execute(
            "SELECT coalesce(sum(words + heading_words), 0) FROM chunks"
        ).fetchone()
    except sqlite3.DatabaseError as error:
        yield f"the index of words cannot be read: {error}"
        return
    if stored != counted:
        yield f"{stored} words indexed where the chunks have {counted}"


def _count_trouble(connection: sqlite3.Connection, state: State) -> Iterator[str]:
    for table in ("documents", "chunks", "vectors"):
        (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        if count != getattr(state, table):
            yield f"{count} {table} where the store says {getattr(state, table)}"


def _mend_file(connection: sqlite3.Connection, path: str) -> Iterator[str]:
    if not _file_damage(connection):
        return
    connection.execute("REINDEX")
    damage = _file_damage(connection)
    if damage:
        raise StoreDamagedError(
            f"the file {path} is damaged: {damage[0]}", given=path, hint=DAMAGED_HINT
        )
    yield "Built the file's own indexes anew."


def _remove_torn(connection: sqlite3.Connection) -> Iterator[str]:
    """Remove documents that are not whole: the next ingest brings them back."""
    torn = connection.execute(_TORN_DOCUMENTS).fetchall()
    for doc, uri in torn:
        connection.execute(
            "DELETE FROM vectors WHERE row IN (SELECT row FROM chunks WHERE doc = ?)", (doc,)
        )
        connection.execute("DELETE FROM documents WHERE doc = ?", (doc,))
        yield f"Removed {uri}, which did not have all its chunks; ingest it again."
    for what, query, column in (
        ("chunks", _ORPHAN_CHUNKS, "row"),
        ("document_tags", _ORPHAN_TAGS, "doc"),
    ):
        removed = connection.execute(f"DELETE FROM {what} WHERE {column} IN ({query})").rowcount
        if removed:
            yield f"Removed {removed} rows of {what} without a document."


def _remove_unfit(connection: sqlite3.Connection) -> Iterator[str]:
    removed = connection.execute(f"DELETE FROM vectors WHERE row IN ({_UNFIT_VECTORS})").rowcount
    if removed:
        yield f"Removed {removed} vectors that no chunk can use."


def _count_anew(connection: sqlite3.Connection, state: State) -> Iterator[str]:
    counts = {
        table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("documents", "chunks", "vectors")
    }
    revision = state.revision + 1
    # every reader loads anew: what it keeps in memory may be of what was mended
    write_state(connection, revision=revision, dead_rows_since=revision, **counts)
    yield "Counted documents, chunks and vectors anew."
