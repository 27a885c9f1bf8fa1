"""Stored documents with all that was written of them, so that another store can take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from rag.ingest.records import Chunk
from rag.stores.milvus.index import MilvusIndex
from rag.stores.milvus.rows import document_of, stored_chunk
from rag.stores.milvus.schema import CHUNK_FIELDS, DENSE, DOCUMENT_FIELDS
from rag.stores.records import DocumentWrite

_EXPORT_FIELDS: Final = (
    *dict.fromkeys((*CHUNK_FIELDS, *DOCUMENT_FIELDS)),
    "char_start",
    "char_end",
    "has_vector",
    "part",
)


def export_documents(index: MilvusIndex, doc_ids: Sequence[str]) -> tuple[DocumentWrite, ...]:
    """Return the newest generation of documents as they were written, in the order asked.

    One query for all of them: Milvus Lite walks every row for each.
    """
    if not doc_ids:
        return ()
    of_document: dict[str, list[Mapping[str, Any]]] = {doc_id: [] for doc_id in doc_ids}
    for row in index.between_writes(lambda: _rows(index, list(of_document))):
        of_document[row["doc_id"]].append(row)
    return tuple(_write(rows) for rows in of_document.values() if rows)


def _rows(index: MilvusIndex, doc_ids: Sequence[str]) -> list[Mapping[str, Any]]:
    fields = _EXPORT_FIELDS
    if index.manifest.embedder is not None:
        fields = (*fields, DENSE)
    builder = index.visible(index.ledger.state).one_of("doc_id", doc_ids)
    return index.rows(builder.add("part <= 0").build(), fields)


def _write(rows: Sequence[Mapping[str, Any]]) -> DocumentWrite:
    newest = max((row["generation"], row["batch"]) for row in rows)
    kept = [row for row in rows if (row["generation"], row["batch"]) == newest]
    parts = sorted((row for row in kept if row["part"] == 0), key=lambda row: row["ordinal"])
    return DocumentWrite(
        document=document_of(kept[0]),
        chunks=tuple(map(_chunk, parts)),
        vectors={
            row["chunk_id"]: np.asarray(row[DENSE], dtype=np.float32)
            for row in parts
            if row["has_vector"]
        },
    )


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
