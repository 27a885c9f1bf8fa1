"""Documents and chunks as Milvus rows, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rag.errors import (
    StoreDamagedError,
)
from rag.ingest.records import Document, Media, Span, Trust
from rag.ranking.records import StoredChunk
from rag.stores.milvus.schema import (
    ROW_ID,
    TEXT,
)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateChunk(StoredChunk):
    """A chunk of a ranking whose text is not read yet; ``batch`` names the write it came with."""

    batch: str


def row_id(chunk_id: str, batch: str, part: int = 0) -> str:
    """Return the key of a row: parts above 0 hold further words of the chunk."""
    return f"{chunk_id}.{batch}.{part}" if part > 0 else f"{chunk_id}.{batch}"


def chunk_and_batch(key: str) -> tuple[str, str]:
    """Return the chunk id and the write that the key of a row is made of."""
    chunk_id, batch, *_ = key.split(".")
    return chunk_id, batch


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
        chunk_id, batch = chunk_and_batch(row[ROW_ID])
        return CandidateChunk(
            chunk_id=chunk_id,
            doc_id=row["doc_id"],
            batch=batch,
            generation=row["generation"],
            content_hash="",
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


_UNREAD_SPAN = Span(kind="line", start=1, end=1)


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
