"""A stored document with everything that was written of it, so that another store can take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from rag.ingest.records import Chunk, Document
from rag.stores.milvus.index import MilvusIndex
from rag.stores.milvus.rows import document_of, stored_chunk
from rag.stores.milvus.schema import CHUNK_FIELDS, DENSE, DOCUMENT_FIELDS
from rag.stores.records import DocumentWrite

_EXPORT_FIELDS: Final = (
    *dict.fromkeys((*CHUNK_FIELDS, *DOCUMENT_FIELDS)),
    "char_start",
    "char_end",
    "has_vector",
)


def export_document(index: MilvusIndex, doc_id: str) -> DocumentWrite | None:
    """Return the newest generation of a document as it was written; None where there is none."""
    rows = index.between_writes(lambda: _rows(index, doc_id))
    newest = max(((row["generation"], row["batch"]) for row in rows), default=None)
    rows = [row for row in rows if (row["generation"], row["batch"]) == newest]
    if not rows:
        return None
    head: Document = document_of(rows[0])
    parts = sorted((row for row in rows if row["part"] == 0), key=lambda row: row["ordinal"])
    return DocumentWrite(
        document=head,
        chunks=tuple(map(_chunk, parts)),
        vectors={
            row["chunk_id"]: np.asarray(row[DENSE], dtype=np.float32)
            for row in parts
            if row["has_vector"]
        },
    )


def _rows(index: MilvusIndex, doc_id: str) -> list[Mapping[str, Any]]:
    fields = (*_EXPORT_FIELDS, "part")
    if index.manifest.embedder is not None:
        fields = (*fields, DENSE)
    builder = index.visible(index.ledger.state).one_of("doc_id", [doc_id])
    return index.rows(builder.add("part <= 0").build(), fields)


def _chunk(row: Mapping[str, Any]) -> Chunk:
    stored = stored_chunk(row)
    return Chunk(
        chunk_id=stored.chunk_id,
        doc_id=stored.doc_id,
        ordinal=stored.ordinal,
        text=stored.text,
        heading_path=stored.heading_path,
        span=stored.span,
        char_start=row["char_start"],
        char_end=row["char_end"],
        content_hash=stored.content_hash,
    )
