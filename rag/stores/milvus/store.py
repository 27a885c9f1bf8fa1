"""The knowledge store on Milvus: Milvus Lite, a server, a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from rag.embedding.protocol import EmbedderIdentity
from rag.errors import StoreError
from rag.ingest.records import Document, Source
from rag.ranking.fusion_policy import FusionPolicy
from rag.ranking.records import SearchHit, SearchMode, StoredChunk
from rag.settings import StoreSettings
from rag.stores.filters import SearchFilter
from rag.stores.hybrid_retriever import HybridRetriever
from rag.stores.milvus.candidates import with_chunks
from rag.stores.milvus.connection import connect
from rag.stores.milvus.export import export_documents
from rag.stores.milvus.generation_writer import GenerationWriter
from rag.stores.milvus.integrity import IntegrityCheck
from rag.stores.milvus.lexical_retriever import MilvusLexicalRetriever
from rag.stores.milvus.manifest import refuse_write_without_embedder
from rag.stores.milvus.opening import open_index
from rag.stores.milvus.row_maker import RowMaker
from rag.stores.milvus.rows import document_of, stored_chunk
from rag.stores.milvus.schema import CHUNK_FIELDS, SPARSE
from rag.stores.milvus.server_fusion import ServerFusion
from rag.stores.milvus.vector_retriever import MilvusVectorRetriever
from rag.stores.protocol import IndexProgress
from rag.stores.records import (
    DocumentWrite,
    HealthCheck,
    StoreQuery,
    StoreResponse,
    StoreStats,
)
from rag.text import Analyzer, encode_term, make_snippet

NO_FILTER: Final = SearchFilter()


class MilvusHybridKnowledgeStore:
    """See :class:`rag.stores.protocol.KnowledgeStore`; what follows is Milvus' own.

    A search is true to one revision: where a write was committed while it ran, it runs again.
    Candidates come with few fields, and one query by key reads the text of the page.
    With ``store.fusion = server`` Milvus fuses hybrid searches, and channel scores are absent.

    A vector of the wrong length, zero or not finite raises an ``EmbeddingError``; a value too
    long for Milvus an ``InvalidArgumentError``.

    Args:
        settings: Where the index is.
        analyzer: Makes the words that are indexed and searched.
        embedder: Identity of the model behind the vectors; None reads by words alone, and
            writes only to an index that was made without vectors.
        fusion: How the rankings of both channels become one.
        bm25_k1: Term saturation, above 0; taken when the index is made.
        bm25_b: Length normalisation in [0, 1]; likewise.
        create: Make the index where there is none.

    Raises:
        StoreNotInitialisedError: there is no index, and ``create`` is False.
        StoreLockedError, StoreDamagedError, StoreUnreachableError: see ``connect``.
        IndexIdentityMismatchError: another schema, analyser or embedder built it.
        ScoreDirectionError: the engine's scores cannot be read.
        ConfigError: a setting is none that Milvus takes.
    """

    def __init__(
        self,
        settings: StoreSettings,
        *,
        analyzer: Analyzer,
        embedder: EmbedderIdentity | None,
        fusion: FusionPolicy,
        bm25_k1: float = 1.2,
        bm25_b: float = 0.75,
        create: bool = True,
    ) -> None:
        self._settings = settings
        self._analyzer = analyzer
        connection = connect(settings, create=create)
        try:
            self._index = open_index(
                connection,
                settings,
                analyzer=analyzer.version,
                embedder=embedder,
                bm25_k1=bm25_k1,
                bm25_b=bm25_b,
                create=create,
            )
            built_with = self._index.manifest.embedder
            self._may_write = embedder is not None or built_with is None
            self._server_fusion = (
                ServerFusion(self._index, analyzer, fusion) if settings.fusion == "server" else None
            )
        except BaseException:
            connection.release()
            raise
        self._searcher = HybridRetriever(
            MilvusLexicalRetriever(self._index, analyzer, complete=False),
            MilvusVectorRetriever(self._index, complete=False) if embedder is not None else None,
            fusion,
            # in this process Lite's two searches share one interpreter lock: nothing to gain
            parallel=not connection.engine.exclusive,
        )
        dimensions = None if built_with is None else built_with.dimensions
        self._writer = GenerationWriter(self._index, RowMaker(analyzer, dimensions))
        self._integrity = IntegrityCheck(self._index, self._writer)
        self._closed = False

    @property
    def collection(self) -> str:
        """The name of the collection that holds the chunk rows."""
        return self._index.collection

    def search(self, query: StoreQuery) -> StoreResponse:
        self._require_open()
        return self._index.between_writes(lambda: self._search_once(query))

    def _search_once(self, query: StoreQuery) -> StoreResponse:
        fused_there = (
            self._server_fusion is not None
            and query.mode is SearchMode.HYBRID
            and self._server_fusion.can_answer(query)
        )
        if fused_there and self._server_fusion is not None:
            response = self._server_fusion.search(query)
        else:
            found = self._searcher.search_with_trace(query)
            response = found.response(self._index.ledger.state.revision)
        hits = with_chunks(response.hits, self._index)
        terms = self._analyzer.query_terms(query.text)
        return replace(
            response,
            hits=tuple(self._with_snippet(hit, terms, query.snippet_chars) for hit in hits),
            ghosts=response.ghosts + len(response.hits) - len(hits),
        )

    def _with_snippet(self, hit: SearchHit, terms: Sequence[str], max_chars: int) -> SearchHit:
        snippet = make_snippet(hit.chunk.text, terms, self._analyzer, max_chars)
        return replace(hit, snippet=snippet)

    def write_documents(self, writes: Sequence[DocumentWrite]) -> None:
        self._require_open()
        if not self._may_write:
            refuse_write_without_embedder(self._index.manifest, self._settings.uri)
        self._writer.write(writes)

    def delete_documents(self, doc_ids: Sequence[str]) -> int:
        self._require_open()
        return self._writer.delete(doc_ids)

    def documents(self, filters: SearchFilter = NO_FILTER, /) -> Iterator[Document]:
        self._require_open()
        return iter(self._index.between_writes(lambda: self._documents(filters)))

    def _documents(self, filters: SearchFilter) -> list[Document]:
        rows = self._index.heads().newest()
        if not filters.is_empty:
            passing = self._index.visible(self._index.ledger.state, filters).add("head == true")
            kept = {row["doc_id"] for row in self._index.rows(passing.build(), ("doc_id",))}
            rows = [row for row in rows if row["doc_id"] in kept]
        return list(map(document_of, rows))

    def document(self, doc_id: str) -> Document | None:
        self._require_open()
        return next(self.documents(SearchFilter(doc_id=(doc_id,))), None)

    def chunks(self, doc_id: str) -> tuple[StoredChunk, ...]:
        self._require_open()
        return tuple(sorted(self._chunks("doc_id", doc_id), key=lambda chunk: chunk.ordinal))

    def chunk(self, chunk_id: str) -> StoredChunk | None:
        self._require_open()
        return next(iter(self._chunks("chunk_id", chunk_id)), None)

    def _chunks(self, field: str, value: str) -> list[StoredChunk]:
        rows = self._index.between_writes(lambda: self._chunk_rows(field, value))
        newest = max(((row["generation"], row["batch"]) for row in rows), default=None)
        return [stored_chunk(row) for row in rows if (row["generation"], row["batch"]) == newest]

    def _chunk_rows(self, field: str, value: str) -> list[Mapping[str, Any]]:
        builder = self._index.visible(self._index.ledger.state).one_of(field, [value])
        return self._index.rows(builder.add("part == 0").build(), CHUNK_FIELDS)

    def export(self, doc_ids: Sequence[str]) -> tuple[DocumentWrite, ...]:
        self._require_open()
        return export_documents(self._index, doc_ids)

    def unmatched_terms(
        self,
        terms: Sequence[str],
        filters: SearchFilter = NO_FILTER,
        /,
    ) -> tuple[str, ...]:
        self._require_open()
        if not terms:
            return ()
        found = self._index.between_writes(
            lambda: self._index.search(
                SPARSE,
                [encode_term(term) for term in terms],
                self._index.visible(self._index.ledger.state, filters).build(),
                limit=1,
                fields=("chunk_id",),
            )
        )
        return tuple(term for term, hits in zip(terms, found, strict=True) if not hits)

    def sources(self) -> tuple[Source, ...]:
        self._require_open()
        return self._index.ledger.sources()

    def put_source(self, source: Source) -> None:
        self._require_open()
        self._index.ledger.put_source(source)

    def revision(self) -> str:
        self._require_open()
        return self._index.ledger.refresh().revision

    def stats(self) -> StoreStats:
        self._require_open()
        heads = self._index.heads()
        newest = heads.newest()
        return StoreStats(
            backend=str(self._index.connection.engine),
            uri=self._settings.uri,
            documents=len(newest),
            chunks=sum(row["chunk_count"] for row in newest),
            chunks_with_vector=sum(row["vector_count"] for row in newest),
            revision=heads.revision,
            manifest=self._index.manifest,
        )

    def build_index(self, progress: IndexProgress | None = None, /) -> bool:
        return False  # Milvus builds its indexes itself

    def check(self) -> tuple[HealthCheck, ...]:
        self._require_open()
        return self._integrity.check()

    def repair(self) -> tuple[str, ...]:
        self._require_open()
        return self._integrity.repair()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._searcher.close()
            self._index.connection.release()

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError(
                f"the store at {self._settings.uri} is closed",
                given=self._settings.uri,
                hint="open it again",
            )
        self._index.connection.require_present()
