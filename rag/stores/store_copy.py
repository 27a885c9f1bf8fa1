"""Moves what one store holds into another, vectors included, so that nothing is embedded again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rag.errors import InvalidArgumentError, StoreError
from rag.ingest.protocol import IngestProgress
from rag.ingest.records import Document
from rag.stores.protocol import KnowledgeStore
from rag.stores.records import DocumentWrite
from rag.stores.refresh_index import refresh_index

BATCH_CHUNKS = 512  # per write: some 2 MB of vectors and text


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """What a copy did, checked against the target afterwards (``copy_report.v1``).

    ``documents`` = ``copied + unchanged``: all that the source held. ``unchanged`` were in the
    target already with an equal content hash. ``only_in_target`` counts documents of the target
    that the source does not hold; a copy leaves them.
    """

    schema_version: Literal["copy_report.v1"] = "copy_report.v1"
    source_uri: str
    target_uri: str
    embedder: str
    documents: int
    copied: int
    unchanged: int
    chunks_copied: int
    vectors_copied: int
    only_in_target: int
    sources: int
    duration_ms: float
    warnings: tuple[str, ...] = ()


def copy_store(
    source: KnowledgeStore, target: KnowledgeStore, progress: IngestProgress
) -> CopyReport:
    """Copy every document and source name of one store into another.

    A copy that was interrupted goes on where it stopped: what the target holds already is passed
    over. What is written is read back and compared whole; at the end the target's documents are
    held against the source's by content hash and number of chunks.

    Raises:
        InvalidArgumentError: both are the same store.
        StoreError: a store failed, or the target does not hold what the source does.
    """
    started = time.perf_counter()
    before = source.stats()
    if before.revision == target.revision():
        raise InvalidArgumentError(
            "source and target are the same store",
            given=before.uri,
            allowed="two stores",
        )
    wanted = {document.doc_id: document for document in source.documents()}
    held = {document.doc_id: document for document in target.documents()}
    missing = [one for one in wanted.values() if not _same(one, held.get(one.doc_id))]
    progress.scanned(len(wanted))
    for document in wanted.values():
        if _same(document, held.get(document.doc_id)):
            progress.file_done(document.uri, "unchanged")
    known = {one.name: one for one in target.sources()}
    sources = source.sources()
    for origin in sources:
        if known.get(origin.name) != origin:
            target.put_source(origin)
    chunks = vectors = 0
    for batch in _batches(missing):
        writes = source.export(batch)  # what was deleted meanwhile is missed at the end
        target.write_documents(writes)
        read_back = {write.document.doc_id: write for write in target.export(batch)}
        for write in writes:
            _check_equal(write, read_back.get(write.document.doc_id))
            chunks += len(write.chunks)
            vectors += len(write.vectors)
            progress.embedded(len(write.chunks))
            progress.file_done(write.document.uri, "new")
    arrived = {document.doc_id: document for document in target.documents()}
    _check_complete(source, wanted, arrived, before.revision)
    warnings = refresh_index(target, progress.indexing)
    embedder = before.manifest.embedder
    return CopyReport(
        source_uri=before.uri,
        target_uri=target.stats().uri,
        embedder=str(embedder) if embedder else "none",
        documents=len(wanted),
        copied=len(missing),
        unchanged=len(wanted) - len(missing),
        chunks_copied=chunks,
        vectors_copied=vectors,
        only_in_target=len(arrived.keys() - wanted.keys()),
        sources=len(sources),
        duration_ms=round((time.perf_counter() - started) * 1000, 1),
        warnings=warnings,
    )


def _same(document: Document, other: Document | None) -> bool:
    return other is not None and (document.content_hash, document.chunk_count) == (
        other.content_hash,
        other.chunk_count,
    )


def _batches(documents: Sequence[Document]) -> Iterator[list[str]]:
    """Yield document ids with about ``BATCH_CHUNKS`` chunks at a time."""
    batch: list[str] = []
    chunks = 0
    for document in documents:
        batch.append(document.doc_id)
        chunks += document.chunk_count
        if chunks >= BATCH_CHUNKS:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch


def _check_equal(write: DocumentWrite, read_back: DocumentWrite | None) -> None:
    if read_back is None or not _equal(write, read_back):
        raise StoreError(
            f"{write.document.uri} did not come back from the target as it was written",
            given=write.document.uri,
            hint="run the same copy again; if that changes nothing, look with: rag doctor",
        )


def _equal(one: DocumentWrite, other: DocumentWrite) -> bool:
    return (
        one.document == other.document
        and tuple(one.chunks) == tuple(other.chunks)
        and one.vectors.keys() == other.vectors.keys()
        and all(np.array_equal(vector, other.vectors[key]) for key, vector in one.vectors.items())
    )


def _check_complete(
    source: KnowledgeStore,
    wanted: Mapping[str, Document],
    arrived: Mapping[str, Document],
    revision: str,
) -> None:
    wrong = [one.uri for one in wanted.values() if not _same(one, arrived.get(one.doc_id))]
    if not wrong:
        return
    changed = source.revision() != revision
    why = "the source changed during the copy" if changed else "the copy is not complete"
    raise StoreError(
        f"{why}: {len(wrong)} documents are not the same in both stores, first {wrong[0]}",
        given=wrong[0],
        hint="run the same copy again: it goes on where it stopped",
    )
