"""The store of one machine, whole: catalogue, words and vectors in one folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rag.embedding.protocol import EmbedderIdentity
from rag.ingest.records import Document, Source
from rag.ranking.fusion_policy import FusionPolicy
from rag.ranking.records import SearchHit, StoredChunk
from rag.stores.filters import SearchFilter
from rag.stores.hybrid_retriever import FusedSearch, HybridRetriever
from rag.stores.local.bm25 import Bm25
from rag.stores.local.document_writer import DocumentWriter
from rag.stores.local.engine import LocalEngine
from rag.stores.local.lexical_retriever import LexicalRetriever
from rag.stores.local.scope import scope
from rag.stores.local.vector_retriever import VectorRetriever
from rag.stores.records import (
    DocumentWrite,
    HealthCheck,
    StoreQuery,
    StoreResponse,
    StoreStats,
)
from rag.text import Analyzer, make_snippet

BACKEND = "local"
LOCK_TIMEOUT_S = 10.0  # a writer's turn lasts seconds at most


class LocalKnowledgeStore:
    """A ``KnowledgeStore`` in one folder, for any number of processes at once.

    SQLite holds everything that is true. A search sees one state of the store from begin to
    end; writers take turns.

    Args:
        folder: Where the store lives; created by the first write.
        analyzer: Turns text into words; the index remembers its version.
        embedder: Whose vectors the index holds, or None to search by words alone.
        fusion: How the rankings of both channels become one.
        bm25: The parameters of the lexical score.
        readonly: Refuse every write; nothing in the folder changes.
        lock_timeout_s: How long a write waits for another process's write, in seconds.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        analyzer: Analyzer,
        embedder: EmbedderIdentity | None,
        fusion: FusionPolicy,
        bm25: Bm25 | None = None,
        readonly: bool = False,
        lock_timeout_s: float = LOCK_TIMEOUT_S,
    ) -> None:
        self._analyzer = analyzer
        self._engine = LocalEngine(
            Path(folder),
            analyzer=analyzer.version,
            embedder=embedder,
            readonly=readonly,
            lock_timeout_s=lock_timeout_s,
        )
        self._writer = DocumentWriter(analyzer, embedder, self._engine.catalog)
        self._retriever = HybridRetriever(
            LexicalRetriever(self._engine, analyzer, bm25 or Bm25(), snippets=False),
            VectorRetriever(self._engine),
            fusion,
            parallel=False,  # both channels read one state of the store, so in one transaction
        )

    def search(self, query: StoreQuery) -> StoreResponse:
        with self._engine.view() as view:
            return self._search(query).response(view.state.name)

    def search_with_trace(self, query: StoreQuery) -> FusedSearch:
        """Return what ``search`` returns, with the whole fused ranking."""
        with self._engine.view():
            return self._search(query)

    def _search(self, query: StoreQuery) -> FusedSearch:
        found = self._retriever.search_with_trace(query)
        terms = self._analyzer.query_terms(query.text)
        return replace(
            found, hits=tuple(self._with_snippet(hit, terms, query) for hit in found.hits)
        )

    def _with_snippet(
        self, hit: SearchHit, terms: Sequence[str], query: StoreQuery
    ) -> SearchHit:
        snippet = make_snippet(hit.chunk.text, terms, self._analyzer, query.snippet_chars)
        return replace(hit, snippet=snippet)

    def write_documents(self, writes: Sequence[DocumentWrite]) -> None:
        if not writes:
            return
        prepared = [self._writer.prepare(write) for write in writes]
        with self._engine.write() as (connection, state):
            self._writer.write(connection, state, prepared)

    def delete_documents(self, doc_ids: Sequence[str]) -> int:
        if not doc_ids:
            return 0
        with self._engine.write() as (connection, state):
            return self._writer.delete(connection, state, doc_ids)

    def documents(self, filters: SearchFilter = SearchFilter(), /) -> Iterator[Document]:
        with self._engine.view() as view:
            found = self._engine.catalog.documents(view.connection, filters)
        return iter(found)

    def document(self, doc_id: str) -> Document | None:
        with self._engine.view() as view:
            return self._engine.catalog.document(view.connection, doc_id)

    def chunks(self, doc_id: str) -> tuple[StoredChunk, ...]:
        with self._engine.view() as view:
            return self._engine.catalog.chunks(view.connection, doc_id)

    def chunk(self, chunk_id: str) -> StoredChunk | None:
        with self._engine.view() as view:
            return self._engine.catalog.chunk(view.connection, chunk_id)

    def sources(self) -> tuple[Source, ...]:
        with self._engine.view() as view:
            return self._engine.catalog.sources(view.connection)

    def put_source(self, source: Source) -> None:
        with self._engine.write() as (connection, _):
            self._engine.catalog.put_source(connection, source)

    def unmatched_terms(
        self, terms: Sequence[str], filters: SearchFilter = SearchFilter(), /
    ) -> tuple[str, ...]:
        with self._engine.view() as view:
            table = view.table
            passing = scope(view.connection, table, filters)
            found = self._engine.postings.postings(view.connection, table, terms)
            return tuple(
                term
                for term, word in zip(terms, found, strict=True)
                if not np.any(passing[word.positions])
            )

    def revision(self) -> str:
        with self._engine.view() as view:
            return view.state.name

    def stats(self) -> StoreStats:
        with self._engine.view() as view:
            state = view.state
            return StoreStats(
                backend=BACKEND,
                uri=str(self._engine.database.folder),
                documents=state.documents,
                chunks=state.chunks,
                chunks_with_vector=state.vectors,
                revision=state.name,
                manifest=state.manifest(),
            )

    def check(self) -> tuple[HealthCheck, ...]:
        return ()

    def repair(self) -> tuple[str, ...]:
        return ()

    def close(self) -> None:
        self._retriever.close()
        self._engine.database.close()
