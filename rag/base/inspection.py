"""Looks at stored documents and chunks with all that is stored of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from rag.errors import ChunkNotFoundError, DocumentNotFoundError
from rag.ingest.records import Chunk, Document
from rag.stores.protocol import KnowledgeStore
from rag.stores.records import DocumentWrite
from rag.text import TokenCounter
from rag.wire.base_reports import ChunkInspection, Contents, DocumentInspection, InspectedChunk

MOST_TAGS = 50  # the most frequent; a base may have a tag per document


def inspect_document(
    store: KnowledgeStore, document: Document, counter: TokenCounter
) -> DocumentInspection:
    """Return all that the store holds of a document; raises DocumentNotFoundError."""
    write = _exported(store, document.doc_id)
    return DocumentInspection(
        document=write.document,
        chunks=tuple(_inspected(chunk, write, counter) for chunk in write.chunks),
        counter=counter.name,
    )


def inspect_chunk(
    store: KnowledgeStore, doc_id: str, chunk_id: str, counter: TokenCounter
) -> ChunkInspection:
    """Return all that the store holds of a chunk of a document.

    Raises:
        DocumentNotFoundError, ChunkNotFoundError: it was deleted meanwhile.
    """
    write = _exported(store, doc_id)
    chunk = next((one for one in write.chunks if one.chunk_id == chunk_id), None)
    if chunk is None:
        raise ChunkNotFoundError(f"chunk {chunk_id!r} was just replaced", given=chunk_id)
    return ChunkInspection(
        document=write.document, chunk=_inspected(chunk, write, counter), counter=counter.name
    )


def contents_of(documents: Iterable[Document], is_stale: Callable[[str], bool]) -> Contents:
    """Return how many documents there are of each kind."""
    media: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    last: str | None = None
    stale = 0
    for document in documents:
        media[str(document.media)] += 1
        languages[document.language] += 1
        sources[document.source] += 1
        tags.update(document.tags)
        stale += is_stale(document.indexed_at)
        last = document.indexed_at if last is None else max(last, document.indexed_at)
    return Contents(
        media=dict(sorted(media.items())),
        languages=dict(sorted(languages.items())),
        sources=dict(sorted(sources.items())),
        tags=dict(tags.most_common(MOST_TAGS)),
        last_indexed_at=last,
        stale=stale,
    )


def _exported(store: KnowledgeStore, doc_id: str) -> DocumentWrite:
    found = store.export([doc_id])
    if not found:
        raise DocumentNotFoundError(f"document {doc_id!r} was just removed", given=doc_id)
    return found[0]


def _inspected(chunk: Chunk, write: DocumentWrite, counter: TokenCounter) -> InspectedChunk:
    return InspectedChunk(
        chunk=chunk,
        ref=f"{write.document.uri}#{chunk.span.fragment()}",
        tokens=counter.count(chunk.text),
        embedded=chunk.chunk_id in write.vectors,
    )
