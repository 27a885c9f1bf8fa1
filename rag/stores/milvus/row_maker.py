"""A document's rows, made and measured before anything is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rag.errors import EmbeddingDimensionError, InvalidArgumentError, InvalidVectorError
from rag.ingest.index_text import heading_text
from rag.ingest.records import Chunk
from rag.stores.milvus.overflow import slices_of_text, slices_of_words
from rag.stores.milvus.rows import Row, instant_us, row_id, tag_key
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

_LIMITS = {"tenant": 4_096, "chunk_id": 128, "doc_id": 128, "content_hash": 128}
_LIMITS |= dict.fromkeys(("span_kind", "media", "trust", "indexed_at", "document_hash"), 256)


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
