"""The store of one machine, whole: catalogue, words and vectors in one folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from rag.embedding.protocol import EmbedderIdentity
from rag.ingest.records import Document, Source
from rag.ranking.fusion_policy import FusionPolicy
from rag.ranking.records import SearchHit, StoredChunk
from rag.stores.filters import SearchFilter
from rag.stores.hybrid_retriever import FusedSearch, HybridRetriever
from rag.stores.local.bm25 import HEADING_WEIGHT, Bm25
from rag.stores.local.document_writer import DocumentWriter
from rag.stores.local.engine import LocalEngine
from rag.stores.local.export import export_document
from rag.stores.local.integrity import IntegrityCheck
from rag.stores.local.lexical_retriever import LexicalRetriever
from rag.stores.local.scope import scope
from rag.stores.local.vector_index import EXACT_LIMIT, VectorIndex
from rag.stores.local.vector_retriever import VectorRetriever
from rag.stores.protocol import IndexProgress
from rag.stores.records import (
    DocumentWrite,
    HealthCheck,
    StoreQuery,
    StoreResponse,
    StoreStats,
)
from rag.text import Analyzer, make_snippet

BACKEND: Final = "local"
NO_FILTER: Final = SearchFilter()
LOCK_TIMEOUT_S: Final = 10.0  # a writer's turn lasts seconds at most


class LocalKnowledgeStore:
    """A ``KnowledgeStore`` in one folder, for any number of processes at once.

    SQLite holds everything that is true. A search sees one state of the store from begin to
    end; writers take turns.

    Args:
        folder: Where the store lives.
        analyzer: Turns text into words; the index remembers its version.
        embedder: Whose vectors the index holds, or None to search by words alone.
        fusion: How the rankings of both channels become one.
        bm25_k1: Term saturation of the lexical score.
        bm25_b: Its length normalisation, in [0, 1].
        heading_weight: How many words of the text one in the headings counts for.
        exact_limit: Up to this many vectors every one is compared; above, ``build_index`` makes
            an index.
        create: Make the store where there is none.
        readonly: Refuse every write, also repairs and migrations.
        lock_timeout_s: How long a write waits for another process's write, in seconds.

    Raises:
        StoreNotInitialisedError: there is no store, and ``create`` is False or ``readonly`` True.
        StoreDamagedError: there is something else at the path, or the store is broken.
        IndexIdentityMismatchError: another schema, analyser or embedder built it.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        analyzer: Analyzer,
        embedder: EmbedderIdentity | None,
        fusion: FusionPolicy,
        bm25_k1: float = 1.2,
        bm25_b: float = 0.75,
        heading_weight: float = HEADING_WEIGHT,
        exact_limit: int = EXACT_LIMIT,
        create: bool = True,
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
        self._index = VectorIndex(self._engine, exact_limit)
        self._integrity = IntegrityCheck(self._engine, analyzer, self._index)
        bm25 = Bm25(k1=bm25_k1, b=bm25_b, heading_weight=heading_weight)
        self._retriever = HybridRetriever(
            LexicalRetriever(self._engine, analyzer, bm25, snippets=False),
            VectorRetriever(self._engine, self._index) if embedder is not None else None,
            fusion,
            parallel=False,  # both channels read one state of the store, so in one transaction
        )
        self._engine.open(create=create and not readonly)

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

    def _with_snippet(self, hit: SearchHit, terms: Sequence[str], query: StoreQuery) -> SearchHit:
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

    def documents(self, filters: SearchFilter = NO_FILTER, /) -> Iterator[Document]:
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

    def export(self, doc_ids: Sequence[str]) -> tuple[DocumentWrite, ...]:
        with self._engine.view() as view:
            found = [
                export_document(view.connection, self._engine.catalog, doc_id)
                for doc_id in dict.fromkeys(doc_ids)
            ]
        return tuple(write for write in found if write is not None)

    def sources(self) -> tuple[Source, ...]:
        with self._engine.view() as view:
            return self._engine.catalog.sources(view.connection)

    def put_source(self, source: Source) -> None:
        with self._engine.write() as (connection, _):
            self._engine.catalog.put_source(connection, source)

    def unmatched_terms(
        self, terms: Sequence[str], filters: SearchFilter = NO_FILTER, /
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
        return self._integrity.check()

    def repair(self) -> tuple[str, ...]:
        return self._integrity.repair()

    def build_index(self, progress: IndexProgress | None = None, /, *, force: bool = False) -> bool:
        """Build the vector index where the base is large and it is missing, stale or damaged.

        To be called after an ingest; searches are right without it, only slower. Return whether
        it was built. ``force`` builds it even where it is not due.

        Raises:
            MissingExtraError: an index is due and LanceDB is not installed.
            StoreLockedError: another process is building.
        """
        return self._index.build(progress, force=force)

    def close(self) -> None:
        self._retriever.close()
        self._engine.database.close()
