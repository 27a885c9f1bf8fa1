"""A stored document with everything that was written of it, so that another store can take it."""

from __future__ import annotations

import sqlite3

import numpy as np

from rag.ingest.records import Chunk
from rag.stores.local.catalog import Catalog
from rag.stores.local.filter_sql import encodable
from rag.stores.local.vector_matrix import STORED
from rag.stores.records import DocumentWrite

_REST = (
    "SELECT c.chunk_id, c.char_start, c.char_end, v.vector"
    " FROM chunks AS c JOIN documents AS d USING (doc) LEFT JOIN vectors AS v USING (row)"
    " WHERE d.doc_id = ?"
)


def export_document(
    connection: sqlite3.Connection, catalog: Catalog, doc_id: str
) -> DocumentWrite | None:
    """Return a document as it was written; None where there is none."""
    document = catalog.document(connection, doc_id)
    if document is None:
        return None
    rest = {
        chunk_id: (start, end, blob)
        for chunk_id, start, end, blob in connection.execute(_REST, (encodable(doc_id),))
    }
    chunks = []
    vectors = {}
    for stored in catalog.chunks(connection, doc_id):
        start, end, blob = rest[stored.chunk_id]
        chunks.append(
            Chunk(
                chunk_id=stored.chunk_id,
                doc_id=stored.doc_id,
                ordinal=stored.ordinal,
                text=stored.text,
                heading_path=stored.heading_path,
                span=stored.span,
                char_start=start,
                char_end=end,
                content_hash=stored.content_hash,
            )
        )
        if blob is not None:
            vectors[stored.chunk_id] = np.frombuffer(blob, dtype=STORED).astype(np.float32)
    return DocumentWrite(document=document, chunks=tuple(chunks), vectors=vectors)
