"""Documents to test a store with, made from a few words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.embedding.protocol import EmbedderIdentity
from rag.ingest.index_text import index_hash, index_text
from rag.ingest.records import Chunk, Document, Media, Span
from rag.ranking.records import SearchMode
from rag.stores.filters import SearchFilter, parse_filter
from rag.stores.protocol import KnowledgeStore
from rag.stores.records import ChannelStatus, DocumentWrite, StoreQuery, StoreResponse
from rag.testing.hashing_embedder import HashingEmbedder
from rag.text import Analyzer

EMBEDDER: Final = HashingEmbedder(dimensions=64)  # small, so that a store is made and read fast
ANALYZER: Final = Analyzer()
MODES: Final = tuple(SearchMode)


class OpenStore(Protocol):
    """Opens the store at a place, making it where there is none.

    Places are named by lower-case letters, digits and underscores. Two stores of one place hold
    the same documents; a place that was not opened before is empty.
    """

    def __call__(
        self,
        place: str,
        *,
        embedder: EmbedderIdentity | None = EMBEDDER.identity,
        analyzer: Analyzer = ANALYZER,
    ) -> KnowledgeStore: ...


def digest(*parts: object) -> str:
    """Return an id of 32 hexadecimal characters."""
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def document_id(uri: str) -> str:
    """Return the id that :func:`document` gives a document."""
    return digest("document", uri)


def document(
    uri: str,
    *texts: str,
    generation: int = 1,
    headings: Sequence[str] = (),
    vectors: Sequence[NDArray[np.float32] | None] | None = None,
    **facts: Any,
) -> DocumentWrite:
    """Return a document to write, one chunk per text; chunk ids follow place and words.

    Vectors come from :data:`EMBEDDER` unless given; None in their place leaves a chunk without.
    """
    title = facts.get("title", uri)
    chunks = []
    start = 0
    for ordinal, text in enumerate(texts):
        chunks.append(
            Chunk(
                chunk_id=digest("chunk", uri, ordinal, text),
                doc_id=document_id(uri),
                ordinal=ordinal,
                text=text,
                heading_path=tuple(headings),
                span=Span(kind="line", start=ordinal + 1, end=ordinal + 1),
                char_start=start,
                char_end=start + len(text),
                content_hash=index_hash(title, tuple(headings), text),
            )
        )
        start += len(text)
    given: Iterable[NDArray[np.float32] | None]
    if vectors is None:
        given = EMBEDDER.embed_documents([index_text(title, tuple(headings), t) for t in texts])
    else:
        given = vectors
    made = Document(
        doc_id=document_id(uri),
        uri=uri,
        title=title,
        media=Media.MARKDOWN,
        content_hash=digest("content", texts),
        chunk_count=len(texts),
        byte_size=sum(len(text.encode("utf-8", "replace")) for text in texts),
        indexed_at="2026-01-01T00:00:00+00:00",
        generation=generation,
    )
    return DocumentWrite(
        document=replace(made, **facts),
        chunks=tuple(chunks),
        vectors={
            chunk.chunk_id: vector
            for chunk, vector in zip(chunks, given, strict=True)
            if vector is not None
        },
    )


def search(
    store: KnowledgeStore,
    text: str,
    mode: SearchMode = SearchMode.HYBRID,
    *,
    filters: Mapping[str, Any] | SearchFilter | None = None,
    **options: Any,
) -> StoreResponse:
    """Search with the text's own vector, unless ``vector`` is given."""
    if "vector" not in options and mode is not SearchMode.LEXICAL:
        options["vector"] = EMBEDDER.embed_query(text)
    if options.get("vector") is None:
        options.setdefault("vector_status", ChannelStatus.OFF)
    return store.search(StoreQuery(text=text, mode=mode, filters=parse_filter(filters), **options))


def uris(response: StoreResponse) -> list[str]:
    """Return the paths of the hits, in rank order."""
    return [hit.chunk.uri for hit in response.hits]


def texts(response: StoreResponse) -> list[str]:
    """Return the texts of the hits, in rank order."""
    return [hit.chunk.text for hit in response.hits]
