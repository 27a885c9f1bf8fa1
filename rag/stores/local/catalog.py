"""Documents and chunks as rows, and back as records."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from rag.ingest.records import Chunk, Document, Media, Source, Span, Trust
from rag.ranking.records import StoredChunk
from rag.stores.filters import SearchFilter
from rag.stores.local.filter_sql import TRUST_LEVELS, encodable, filter_sql
from rag.stores.local.instants import microseconds

CACHED_CHUNKS = 16_384  # of about 2 kB each; most of what a base of 20,000 chunks is asked for
# A search makes hundreds of records; looking a member up costs a tenth of constructing it.
_MEDIA = {str(media): media for media in Media}
_TRUST = {str(trust): trust for trust in Trust}

_DOCUMENT_COLUMNS = (
    "doc_id, uri, title, media, content_hash, chunk_count, byte_size, indexed_at, language, tags,"
    " source, source_type, trust, tenant, generation"
)
_CHUNK_SELECT = (
    "SELECT c.row, c.chunk_id, d.doc_id, c.ordinal, c.text, c.heading_path, c.span_kind,"
    " c.span_start, c.span_end, d.uri, d.title, d.media, d.language, d.tags, d.source,"
    " d.source_type, d.trust, d.tenant, c.content_hash, d.indexed_at, d.generation"
    " FROM chunks AS c JOIN documents AS d USING (doc)"
)


class Catalog:
    """Reads and writes the rows of documents and chunks inside a caller's transaction."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._store_id = ""
        self._chunks: dict[int, StoredChunk] = {}

    def chunks_by_row(
        self, connection: sqlite3.Connection, store_id: str, rows: Sequence[int]
    ) -> dict[int, StoredChunk]:
        """Return the chunks of row numbers; one object per row, since a row never changes."""
        with self._lock:
            if self._store_id != store_id:
                self._store_id = store_id
                self._chunks.clear()
            found = {row: self._chunks[row] for row in rows if row in self._chunks}
        missing = [row for row in rows if row not in found]
        if missing:
            fetched = connection.execute(
                f"{_CHUNK_SELECT} WHERE c.row IN (SELECT value FROM json_each(?))",
                (json.dumps(missing),),
            )
            fresh = {values[0]: _stored_chunk(values) for values in fetched}
            found |= fresh
            with self._lock:
                if self._store_id == store_id:
                    self._chunks |= fresh
                    # the oldest go, a few at a time: emptied at once, it would be cold again
                    for row in list(
                        islice(self._chunks, max(0, len(self._chunks) - CACHED_CHUNKS))
                    ):
                        del self._chunks[row]
        return found

    def chunk(self, connection: sqlite3.Connection, chunk_id: str) -> StoredChunk | None:
        """Return one chunk by its id."""
        values = connection.execute(
            f"{_CHUNK_SELECT} WHERE c.chunk_id = ?", (encodable(chunk_id),)
        ).fetchone()
        return _stored_chunk(values) if values else None

    def chunks(self, connection: sqlite3.Connection, doc_id: str) -> tuple[StoredChunk, ...]:
        """Return a document's chunks in document order."""
        fetched = connection.execute(
            f"{_CHUNK_SELECT} WHERE d.doc_id = ? ORDER BY c.ordinal, c.row", (encodable(doc_id),)
        )
        return tuple(map(_stored_chunk, fetched))

    def document(self, connection: sqlite3.Connection, doc_id: str) -> Document | None:
        """Return one document by its id."""
        values = connection.execute(
            f"SELECT {_DOCUMENT_COLUMNS} FROM documents WHERE doc_id = ?", (encodable(doc_id),)
        ).fetchone()
        return _document(values) if values else None

    def documents(
        self, connection: sqlite3.Connection, filters: SearchFilter
    ) -> tuple[Document, ...]:
        """Return the documents that pass, ordered by source, then uri."""
        condition, bound = filter_sql(filters)
        fetched = connection.execute(
            f"SELECT {_DOCUMENT_COLUMNS} FROM documents AS d WHERE {condition}"
            " ORDER BY source, uri, doc_id",
            bound,
        )
        return tuple(map(_document, fetched))

    def sources(self, connection: sqlite3.Connection) -> tuple[Source, ...]:
        """Return the registered sources, ordered by name."""
        fetched = connection.execute(
            "SELECT name, root, trust, source_type FROM sources ORDER BY name"
        )
        return tuple(
            Source(name=name, root=root, trust=Trust(trust), source_type=source_type)
            for name, root, trust, source_type in fetched
        )

    def put_source(self, connection: sqlite3.Connection, source: Source) -> None:
        """Register a source or replace it."""
        connection.execute(
            "INSERT OR REPLACE INTO sources (name, root, trust, source_type) VALUES (?, ?, ?, ?)",
            (source.name, source.root, str(source.trust), source.source_type),
        )

    def insert_document(self, connection: sqlite3.Connection, document: Document) -> int:
        """Insert a document with its tags; return its number."""
        cursor = connection.execute(
            f"INSERT INTO documents ({_DOCUMENT_COLUMNS}, trust_level, indexed_us)"
            f" VALUES ({', '.join('?' * 17)})",
            (
                document.doc_id,
                document.uri,
                document.title,
                str(document.media),
                document.content_hash,
                document.chunk_count,
                document.byte_size,
                document.indexed_at,
                document.language,
                json.dumps(document.tags, ensure_ascii=False),
                document.source,
                document.source_type,
                str(document.trust),
                document.tenant,
                document.generation,
                TRUST_LEVELS[document.trust],
                microseconds(document.indexed_at),
            ),
        )
        doc = cursor.lastrowid
        assert doc is not None  # SQLite gives one after every insert
        connection.executemany(
            "INSERT OR IGNORE INTO document_tags (tag, doc) VALUES (?, ?)",
            [(tag, doc) for tag in document.tags],
        )
        return doc

    def insert_chunks(
        self,
        connection: sqlite3.Connection,
        doc: int,
        first_row: int,
        chunks: Sequence[Chunk],
        lengths: Sequence[tuple[int, int]],
    ) -> None:
        """Insert a document's chunks as rows ``first_row``, ``first_row + 1``, …

        ``lengths`` are each chunk's words in the text and in the headings.
        """
        connection.executemany(
            "INSERT INTO chunks (row, chunk_id, id_key, doc, ordinal, words, heading_words,"
            " heading_path, span_kind, span_start, span_end, char_start, char_end, content_hash,"
            f" text) VALUES ({', '.join('?' * 15)})",
            [
                (
                    row,
                    chunk.chunk_id,
                    id_key(chunk.chunk_id),
                    doc,
                    chunk.ordinal,
                    words,
                    heading_words,
                    json.dumps(chunk.heading_path, ensure_ascii=False),
                    chunk.span.kind,
                    chunk.span.start,
                    chunk.span.end,
                    chunk.char_start,
                    chunk.char_end,
                    chunk.content_hash,
                    chunk.text,
                )
                for row, (chunk, (words, heading_words)) in enumerate(
                    zip(chunks, lengths, strict=True), first_row
                )
            ],
        )


def id_key(chunk_id: str) -> int:
    """Return the first 16 of a chunk id's hexadecimal digits as a signed number, order kept."""
    return int(chunk_id[:16], 16) - 2**63


@lru_cache(maxsize=8_192)
def _texts(listed: str) -> tuple[str, ...]:
    """Return the texts of a JSON array; the chunks of a document share theirs."""
    return tuple(json.loads(listed))


def _document(values: Sequence[Any]) -> Document:
    return Document(
        doc_id=values[0],
        uri=values[1],
        title=values[2],
        media=_MEDIA[values[3]],
        content_hash=values[4],
        chunk_count=values[5],
        byte_size=values[6],
        indexed_at=values[7],
        language=values[8],
        tags=_texts(values[9]),
        source=values[10],
        source_type=values[11],
        trust=_TRUST[values[12]],
        tenant=values[13],
        generation=values[14],
    )


def _stored_chunk(values: Sequence[Any]) -> StoredChunk:
    return StoredChunk(
        chunk_id=values[1],
        doc_id=values[2],
        ordinal=values[3],
        text=values[4],
        heading_path=_texts(values[5]),
        span=Span(kind=values[6], start=values[7], end=values[8]),
        uri=values[9],
        title=values[10],
        media=_MEDIA[values[11]],
        language=values[12],
        tags=_texts(values[13]),
        source=values[14],
        source_type=values[15],
        trust=_TRUST[values[16]],
        tenant=values[17],
        content_hash=values[18],
        indexed_at=values[19],
        generation=values[20],
    )
