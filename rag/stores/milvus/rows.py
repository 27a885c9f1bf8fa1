"""Documents and chunks as Milvus rows, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.errors import (
    EmbeddingDimensionError,
    InvalidArgumentError,
    InvalidVectorError,
    StoreDamagedError,
)
from rag.ingest.index_text import heading_text
from rag.ingest.records import Chunk, Document, Media, Span, Trust
from rag.ranking.records import StoredChunk
from rag.stores.milvus.overflow import slices_of_text, slices_of_words
from rag.stores.milvus.schema import (
    DENSE,
    MAX_OVERFLOW_SLICES,
    MAX_TAG_BYTES,
    MAX_TAGS,
    MAX_VARCHAR_BYTES,
    ROW_ID,
    TERMS,
    TEXT,
)
from rag.stores.records import DocumentWrite
from rag.text import Analyzer, encode_term

Row = dict[str, Any]

_LIMITS = {"tenant": 4_096, "chunk_id": 128, "doc_id": 128, "content_hash": 128}
_LIMITS |= dict.fromkeys(("span_kind", "media", "trust", "indexed_at", "document_hash"), 256)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateChunk(StoredChunk):
    """A chunk of a ranking whose text is not read yet; ``batch`` names the write it came with."""

    batch: str


def row_id(chunk_id: str, batch: str, part: int = 0) -> str:
    """Return the key of a row: parts above 0 hold further words of the chunk."""
    return f"{chunk_id}.{batch}.{part}" if part > 0 else f"{chunk_id}.{batch}"


def tag_key(tag: str) -> str:
    """Return a tag as 16 hexadecimal characters, among which no wildcard or quote can hide."""
    return hashlib.blake2b(tag.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def instant_us(text: str) -> int:
    """Return an ISO 8601 time as microseconds since 1970, UTC where it names no offset."""
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return microseconds(instant)


def microseconds(instant: datetime) -> int:
    """Return an aware time as whole microseconds since 1970, without a float between."""
    since = instant - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


class RowMaker:
    """Makes the rows of a document.

    Args:
        analyzer: Gives the words under which a chunk is found: its headings', then its text's.
        dimensions: Length of the vectors; None where the index has none.
    """

    def __init__(self, analyzer: Analyzer, dimensions: int | None) -> None:
        self._analyzer = analyzer
        self._dimensions = dimensions
        # A row must have a vector; where a chunk has none this stands in, behind has_vector=false.
        # It is no zero vector: a server may refuse one, and cosine has no meaning for it.
        self._stand_in = None if dimensions is None else [1.0] + [0.0] * (dimensions - 1)

    def rows(self, write: DocumentWrite, batch: str) -> Iterator[Row]:
        """Yield the rows of a document in document order.

        Raises:
            InvalidArgumentError: a value is longer than Milvus can hold, or is no Unicode text.
            EmbeddingDimensionError: a vector has another length than the index.
            InvalidVectorError: a vector is zero or holds NaN or infinity.
        """
        facts = _document_facts(write, batch)
        if not write.chunks:
            key = row_id(facts["doc_id"], batch)
            none = self._vector_fields(None, "")
            yield self._checked({**facts, **_NO_CHUNK, **none, ROW_ID: key})
        for place, chunk in enumerate(write.chunks):
            head = place == 0
            for row in self._chunk_rows(chunk, write, facts, batch):
                yield self._checked({**row, "head": head and row["part"] == 0})

    def _chunk_rows(
        self, chunk: Chunk, write: DocumentWrite, facts: Row, batch: str
    ) -> Iterator[Row]:
        # two calls, so that no bigram joins the end of a heading with the start of the text
        terms = self._analyzer.terms(heading_text(write.document.title, chunk.heading_path))
        terms += self._analyzer.terms(chunk.text)
        text, *more_text = slices_of_text(chunk.text, MAX_VARCHAR_BYTES)
        words, *more_words = slices_of_words(list(map(encode_term, terms)), MAX_VARCHAR_BYTES)
        vector = write.vectors.get(chunk.chunk_id)
        common = {
            **facts,
            "chunk_id": chunk.chunk_id,
            "content_hash": chunk.content_hash,
            "ordinal": chunk.ordinal,
            "heading_path": json.dumps(chunk.heading_path, ensure_ascii=False),
            "span_kind": chunk.span.kind,
            "span_start": chunk.span.start,
            "span_end": chunk.span.end,
            "char_start": chunk.char_start,
            "char_end": chunk.char_end,
        }
        yield {
            **common,
            ROW_ID: row_id(chunk.chunk_id, batch),
            "part": 0,
            TEXT: text,
            "text_overflow": more_text,
            TERMS: words,
            **self._vector_fields(vector, chunk.chunk_id),
        }
        for part, piece in enumerate(more_words, 1):
            yield {
                **common,
                ROW_ID: row_id(chunk.chunk_id, batch, part),
                "part": part,
                TEXT: "",
                "text_overflow": [],
                TERMS: piece,
                **self._vector_fields(None, chunk.chunk_id),
            }

    def _vector_fields(self, vector: NDArray[np.float32] | None, chunk_id: str) -> Row:
        if self._dimensions is None:
            if vector is not None:
                raise EmbeddingDimensionError(
                    "this index was made without an embedder and holds no vectors",
                    given=f"a vector for chunk {chunk_id}",
                    allowed="chunks without vectors",
                )
            return {"has_vector": False}
        if vector is None:
            return {"has_vector": False, DENSE: self._stand_in}
        return {"has_vector": True, DENSE: checked_vector(vector, self._dimensions).tolist()}

    def _checked(self, row: Row) -> Row:
        for name, value in row.items():
            if isinstance(value, str):
                _check_text(name, value, _LIMITS.get(name, MAX_VARCHAR_BYTES), row)
        if len(row["text_overflow"]) > MAX_OVERFLOW_SLICES:
            raise _too_long(TEXT, row, "16 MB in one chunk")
        if len(row["tags"]) > MAX_TAGS:
            raise _too_long("tags", row, f"{MAX_TAGS} tags")
        for tag in row["tags"]:
            _check_text("tags", tag, MAX_TAG_BYTES, row)
        return row


def checked_vector(vector: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    """Return the vector as float32 of shape ``(dimensions,)``.

    Raises:
        EmbeddingDimensionError: it has another shape.
        InvalidVectorError: it is zero or holds NaN or infinity.
    """
    array = np.asarray(vector, dtype=np.float32)
    if array.shape != (dimensions,):
        raise EmbeddingDimensionError(
            f"a vector of shape {array.shape} does not fit an index of {dimensions} dimensions",
            given=str(array.shape),
            allowed=f"({dimensions},)",
            hint="use the embedder that the index was built with",
        )
    if not np.isfinite(array).all() or not array.any():
        raise InvalidVectorError(
            "a vector is zero or holds NaN or infinity, so it has no direction to compare",
            allowed="finite numbers, not all zero",
        )
    return array


def stored_chunk(row: Mapping[str, Any]) -> StoredChunk:
    """Return the chunk of a row that holds ``CHUNK_FIELDS``.

    Raises:
        StoreDamagedError: a value is none that this program writes.
    """
    try:
        return StoredChunk(**_chunk_facts(row))
    except (KeyError, ValueError, TypeError) as error:
        raise damaged_row(row, error) from error


def candidate_chunk(row: Mapping[str, Any]) -> CandidateChunk:
    """Return the chunk of a row that holds ``CANDIDATE_FIELDS`` at least; the rest is empty."""
    try:
        return CandidateChunk(
            chunk_id=row["chunk_id"],
            doc_id=row["doc_id"],
            batch=row["batch"],
            generation=row["generation"],
            content_hash=row["content_hash"],
            ordinal=0,
            text="",
            heading_path=(),
            span=_UNREAD_SPAN,
            title="",
            uri=row.get("uri", ""),
            media=Media(row["media"]) if "media" in row else Media.TEXT,
            language=row.get("language", ""),
            tags=tuple(row.get("tags", ())),
            source=row.get("source", ""),
            source_type=row.get("source_type", ""),
            trust=Trust(row["trust"]) if "trust" in row else Trust.PRIMARY,
            tenant=row.get("tenant", ""),
            indexed_at=row.get("indexed_at", ""),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise damaged_row(row, error) from error


def document_of(row: Mapping[str, Any]) -> Document:
    """Return the document of a head row that holds ``DOCUMENT_FIELDS``; raises as above."""
    try:
        return Document(
            doc_id=row["doc_id"],
            uri=row["uri"],
            title=row["title"],
            media=Media(row["media"]),
            content_hash=row["document_hash"],
            chunk_count=row["chunk_count"],
            byte_size=row["byte_size"],
            indexed_at=row["indexed_at"],
            language=row["language"],
            tags=tuple(row["tags"]),
            source=row["source"],
            source_type=row["source_type"],
            trust=Trust(row["trust"]),
            tenant=row["tenant"],
            generation=row["generation"],
        )
    except (KeyError, ValueError, TypeError) as error:
        raise damaged_row(row, error) from error


def damaged_row(row: Mapping[str, Any], error: Exception) -> StoreDamagedError:
    return StoreDamagedError(
        f"a row of the index holds what this program does not write: {error}",
        given=str(row.get(ROW_ID) or row.get("chunk_id") or row.get("doc_id")),
        hint="look with: rag doctor; the document can be ingested again with --force",
    )


_NO_CHUNK: Row = {
    "chunk_id": "",
    "content_hash": "",
    "ordinal": 0,
    "part": -1,
    "head": True,
    "heading_path": "[]",
    "span_kind": "line",
    "span_start": 1,
    "span_end": 1,
    "char_start": 0,
    "char_end": 0,
    TEXT: "",
    "text_overflow": [],
    TERMS: "",
}
_UNREAD_SPAN = Span(kind="line", start=1, end=1)


def _document_facts(write: DocumentWrite, batch: str) -> Row:
    document = write.document
    tags = list(dict.fromkeys(document.tags))
    return {
        "batch": batch,
        "doc_id": document.doc_id,
        "uri": document.uri,
        "title": document.title,
        "media": str(document.media),
        "language": document.language,
        "tags": tags,
        "tag_keys": "".join(f"|{tag_key(tag)}" for tag in tags) + "|",
        "source": document.source,
        "source_type": document.source_type,
        "trust": str(document.trust),
        "tenant": document.tenant,
        "generation": document.generation,
        "indexed_at": document.indexed_at,
        "indexed_us": instant_us(document.indexed_at),
        "document_hash": document.content_hash,
        "chunk_count": len(write.chunks),
        "vector_count": sum(chunk.chunk_id in write.vectors for chunk in write.chunks),
        "byte_size": document.byte_size,
    }


def _chunk_facts(row: Mapping[str, Any]) -> Row:
    return {
        "chunk_id": row["chunk_id"],
        "doc_id": row["doc_id"],
        "ordinal": row["ordinal"],
        "text": "".join((row[TEXT], *row["text_overflow"])),
        "heading_path": tuple(json.loads(row["heading_path"])),
        "span": Span(kind=row["span_kind"], start=row["span_start"], end=row["span_end"]),
        "uri": row["uri"],
        "title": row["title"],
        "media": Media(row["media"]),
        "language": row["language"],
        "tags": tuple(row["tags"]),
        "source": row["source"],
        "source_type": row["source_type"],
        "trust": Trust(row["trust"]),
        "tenant": row["tenant"],
        "content_hash": row["content_hash"],
        "indexed_at": row["indexed_at"],
        "generation": row["generation"],
    }


def _check_text(name: str, value: str, max_bytes: int, row: Row) -> None:
    if len(value) * 4 <= max_bytes and value.isascii():
        return
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(
            f"{name} of {row['uri']!r} holds half a surrogate pair at character {error.start}",
            given=ascii(value[error.start]),
            allowed="text that UTF-8 can hold",
            hint="clean the text before it is stored",
        ) from error
    if size > max_bytes:
        raise _too_long(name, row, f"{max_bytes:,} bytes", given=size)


def _too_long(name: str, row: Row, allowed: str, given: int | None = None) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{name} of {row['uri']!r:.200} is longer than Milvus can hold",
        given=given,
        allowed=f"at most {allowed}",
        hint="use the local store, which has no such limit, or split the document",
    )
