"""Puts whole documents into the store and takes them out, each in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rag.embedding.protocol import EmbedderIdentity
from rag.errors import (
    EmbeddingDimensionError,
    InvalidArgumentError,
    InvalidVectorError,
)
from rag.ingest.index_text import heading_text
from rag.ingest.records import Chunk
from rag.stores.admission import CANONICAL_ID
from rag.stores.local.catalog import Catalog
from rag.stores.local.filter_sql import encodable
from rag.stores.local.state import State, write_state
from rag.stores.local.vector_matrix import stored_vector
from rag.stores.records import DocumentWrite
from rag.text import Analyzer, encode_terms

UNIT_TOLERANCE = 1e-3  # how far a vector's length may be from 1: float16 models come this near
REMEMBERED_REVISIONS = 1_000  # for which dead rows are kept; a reader further behind loads anew


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """A document with all that can be made of it before the store is locked."""

    write: DocumentWrite
    words: tuple[tuple[str, str], ...]  # FTS5 columns: headings, text
    lengths: tuple[tuple[int, int], ...]  # words in the text, words in the headings
    vectors: tuple[tuple[int, bytes], ...]  # place of the chunk, blob


class DocumentWriter:
    """Writes inside a caller's transaction; ``prepare`` does the costly part outside it."""

    def __init__(
        self, analyzer: Analyzer, embedder: EmbedderIdentity | None, catalog: Catalog
    ) -> None:
        self._analyzer = analyzer
        self._embedder = embedder
        self._catalog = catalog

    def prepare(self, write: DocumentWrite) -> _Prepared:
        """Analyse a document's chunks and check its vectors.

        Raises:
            InvalidArgumentError: a chunk belongs to another document, or its id is none.
            EmbeddingDimensionError, InvalidVectorError: a vector is not the embedder's.
        """
        document = write.document
        words = []
        lengths = []
        vectors = []
        headings: dict[tuple[str, ...], tuple[str, int]] = {}
        for place, chunk in enumerate(write.chunks):
            _check_chunk(chunk, document.doc_id)
            if chunk.heading_path not in headings:
                terms = self._analyzer.terms(heading_text(document.title, chunk.heading_path))
                headings[chunk.heading_path] = encodable(encode_terms(terms)), len(terms)
            heading, heading_length = headings[chunk.heading_path]
            terms = self._analyzer.terms(chunk.text)
            words.append((heading, encodable(encode_terms(terms))))
            lengths.append((len(terms), heading_length))
            vector = write.vectors.get(chunk.chunk_id)
            if vector is not None:
                vectors.append((place, self._checked(vector, chunk)))
        return _Prepared(
            write=write, words=tuple(words), lengths=tuple(lengths), vectors=tuple(vectors)
        )

    def write(
        self, connection: sqlite3.Connection, state: State, prepared: Sequence[_Prepared]
    ) -> None:
        """Replace the documents; the store's revision moves on by one."""
        revision = state.revision + 1
        documents, chunks, vectors = state.documents, state.chunks, state.vectors
        row = state.next_row
        embedder = self._embedder_number(connection)
        for one in prepared:
            gone = self._remove(connection, one.write.document.doc_id, revision)
            doc = self._catalog.insert_document(connection, one.write.document)
            self._catalog.insert_chunks(connection, doc, row, one.write.chunks, one.lengths)
            connection.executemany(
                "INSERT INTO words (rowid, heading, body) VALUES (?, ?, ?)",
                [(row + place, *columns) for place, columns in enumerate(one.words)],
            )
            connection.executemany(
                "INSERT INTO vectors (row, embedder, vector) VALUES (?, ?, ?)",
                [(row + place, embedder, blob) for place, blob in one.vectors],
            )
            row += len(one.write.chunks)
            documents += 1 - gone.documents
            chunks += len(one.write.chunks) - gone.chunks
            vectors += len(one.vectors) - gone.vectors
        write_state(
            connection,
            revision=revision,
            next_row=row,
            documents=documents,
            chunks=chunks,
            vectors=vectors,
        )
        _forget_old_dead_rows(connection, revision)

    def delete(self, connection: sqlite3.Connection, state: State, doc_ids: Sequence[str]) -> int:
        """Remove documents; return how many there were. None existing changes nothing."""
        revision = state.revision + 1
        gone = [self._remove(connection, doc_id, revision) for doc_id in doc_ids]
        documents = sum(one.documents for one in gone)
        if documents:
            write_state(
                connection,
                revision=revision,
                documents=state.documents - documents,
                chunks=state.chunks - sum(one.chunks for one in gone),
                vectors=state.vectors - sum(one.vectors for one in gone),
            )
            _forget_old_dead_rows(connection, revision)
        return documents

    def _embedder_number(self, connection: sqlite3.Connection) -> int | None:
        if self._embedder is None:
            return None
        key = (self._embedder.name, self._embedder.revision, self._embedder.dimensions)
        connection.execute(
            "INSERT OR IGNORE INTO embedders (name, revision, dimensions) VALUES (?, ?, ?)", key
        )
        (number,) = connection.execute(
            "SELECT embedder FROM embedders WHERE (name, revision, dimensions) = (?, ?, ?)", key
        ).fetchone()
        return int(number)

    def _checked(self, vector: np.ndarray, chunk: Chunk) -> bytes:
        dimensions = self._embedder.dimensions if self._embedder else 0
        if vector.shape != (dimensions,):
            raise EmbeddingDimensionError(
                f"the vector of chunk {chunk.chunk_id} has shape {vector.shape};"
                f" the embedder {self._embedder or 'none'} gives {dimensions} dimensions",
                given=str(vector.shape),
                allowed=f"shape ({dimensions},)" if dimensions else "no vector",
            )
        length = float(np.linalg.norm(vector))
        if not abs(length - 1.0) <= UNIT_TOLERANCE:  # NaN fails this too
            raise InvalidVectorError(
                f"the vector of chunk {chunk.chunk_id} has length {length:.6g}",
                given=length,
                allowed="a finite vector of length 1",
            )
        return stored_vector(vector)

    def _remove(self, connection: sqlite3.Connection, doc_id: str, revision: int) -> _Gone:
        found = connection.execute(
            "SELECT doc FROM documents WHERE doc_id = ?", (encodable(doc_id),)
        ).fetchone()
        if found is None:
            return _Gone()
        (doc,) = found
        of_document = "SELECT row FROM chunks WHERE doc = ?"
        chunks = connection.execute(
            f"INSERT INTO dead_rows (revision, row) SELECT ?, row FROM ({of_document})",
            (revision, doc),
        ).rowcount
        connection.execute(f"DELETE FROM words WHERE rowid IN ({of_document})", (doc,))
        vectors = connection.execute(
            f"DELETE FROM vectors WHERE row IN ({of_document})", (doc,)
        ).rowcount
        connection.execute("DELETE FROM documents WHERE doc = ?", (doc,))  # chunks, tags follow
        return _Gone(documents=1, chunks=chunks, vectors=vectors)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gone:
    documents: int = 0
    chunks: int = 0
    vectors: int = 0


def _check_chunk(chunk: Chunk, doc_id: str) -> None:
    if chunk.doc_id != doc_id:
        raise InvalidArgumentError(
            f"chunk {chunk.chunk_id} belongs to document {chunk.doc_id}, not to {doc_id}",
            given=chunk.doc_id,
            allowed=doc_id,
        )
    if not CANONICAL_ID.fullmatch(chunk.chunk_id):
        raise InvalidArgumentError(
            f"{chunk.chunk_id!r} is no chunk id",
            given=chunk.chunk_id,
            allowed="32 lower-case hexadecimal digits",
        )


def _forget_old_dead_rows(connection: sqlite3.Connection, revision: int) -> None:
    since = max(0, revision - REMEMBERED_REVISIONS)
    connection.execute("DELETE FROM dead_rows WHERE revision <= ?", (since,))
    connection.execute(
        "UPDATE state SET value = max(value, ?) WHERE key = 'dead_rows_since'", (since,)
    )
