"""A base of documents as its user sees it: ingest, search, look up, read back, look after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rag import __version__
from rag.embedding import Embedder, VectorCache
from rag.errors import InvalidArgumentError, ReadonlyError
from rag.evidence.post_processor import EvidencePostProcessor
from rag.evidence.rate_hits import rate_hits
from rag.evidence.records import RagBatchResult, RagToolResult
from rag.ingest.protocol import IngestProgress
from rag.ingest.readers import supported_suffixes
from rag.ingest.records import Document, IngestReport, Trust
from rag.ranking import Channel, Quality, RetrievalScoreNormalizer, SearchMode
from rag.retrieval import DocumentFetcher, SearchQuery, SearchResponse, VectorSearchService
from rag.retrieval.document_fetcher import fetched_chunk
from rag.retrieval.records import MAX_K, MAX_QUERY_CHARS
from rag.settings import Settings
from rag.stores.filters import FILTER_KEYS, SearchFilter, parse_filter
from rag.stores.ingest_request import IngestRequest
from rag.stores.protocol import KnowledgeStore
from rag.stores.writer import KnowledgeWriter
from rag.tool import LookupKnowledgeTool
from rag.wire.base_reports import Capabilities, DocumentInspection
from rag.wire.schemas import WIRE_TYPES
from rag.wire.search_response import SearchResult, SearchTrace, search_result, search_trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """What a base is made of; :mod:`rag.assembly` chooses and builds them."""

    store: KnowledgeStore
    embedder: Embedder | None
    cache: VectorCache | None
    service: VectorSearchService
    normalizer: RetrievalScoreNormalizer
    post_processor: EvidencePostProcessor
    tool: LookupKnowledgeTool
    fetcher: DocumentFetcher
    writer: KnowledgeWriter
    weights: Mapping[Channel, float]


class KnowledgeBase:
    """An open base; a context manager that frees its store and model.

    Safe to call from several threads. Every method raises subclasses of ``RagError`` only.
    """

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self.settings = settings
        self.parts = parts

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ingest(
        self,
        path: str | Path,
        *,
        source: str | None = None,
        tenant: str = "",
        tags: Sequence[str] = (),
        trust: Trust | str = Trust.PRIMARY,
        source_type: str = "document",
        force: bool = False,
        progress: IngestProgress | None = None,
    ) -> IngestReport:
        """Bring the base in line with a folder or file; see :meth:`KnowledgeWriter.ingest`."""
        self._writable("ingest")
        return self.parts.writer.ingest(
            IngestRequest(
                path=Path(path),
                source=source,
                tenant=tenant,
                tags=tuple(tags),
                trust=_trust(trust),
                source_type=source_type,
                force=force,
            ),
            progress,
        )

    def ingest_text(
        self,
        text: str,
        *,
        name: str,
        source: str | None = None,
        tenant: str = "",
        tags: Sequence[str] = (),
        trust: Trust | str = Trust.PRIMARY,
        source_type: str = "document",
    ) -> IngestReport:
        """Store a text under a path of your choice, such as ``notes/today.md``."""
        self._writable("ingest a text")
        return self.parts.writer.ingest_text(
            text,
            IngestRequest(
                path=Path(name),
                source=source,
                tenant=tenant,
                tags=tuple(tags),
                trust=_trust(trust),
                source_type=source_type,
            ),
        )

    def search(
        self,
        text: str,
        *,
        mode: str | None = None,
        k: int | None = None,
        filters: Mapping[str, Any] | SearchFilter | None = None,
        cursor: str | None = None,
        snippet_chars: int | None = None,
        trace: bool = False,
    ) -> SearchResult:
        """Return a page of labelled hits in rank order; ``trace`` adds all that is behind it.

        Raises:
            InvalidInputError: the query, mode, ``k``, filter or cursor is at fault.
            RetrievalError: every channel that was asked failed.
        """
        response = self.parts.service.search(
            SearchQuery(
                text=text,
                mode=mode,
                k=k,
                filters=parse_filter(filters),
                cursor=cursor,
                snippet_chars=snippet_chars,
            )
        )
        qualities = self.parts.normalizer.to_quality_scores(response.hits, offset=response.offset)
        return search_result(
            response,
            qualities,
            now=datetime.now(UTC),
            stale_after_days=self.settings.search.stale_after_days,
            trace=self._trace(response, qualities) if trace else None,
        )

    def lookup(self, query: str, **options: Any) -> RagToolResult:
        """Return cited evidence and a verdict; options as in ``LookupRequest``."""
        return self.parts.tool.lookup(query, **options)

    def lookup_many(
        self, queries: Sequence[str | Mapping[str, Any]], **options: Any
    ) -> RagBatchResult:
        """Return the results of several questions packed into one shared budget."""
        return self.parts.tool.lookup_many(queries, **options)

    def documents(
        self, filters: Mapping[str, Any] | SearchFilter | None = None
    ) -> tuple[Document, ...]:
        """Return the stored documents, ordered by source, then path."""
        return tuple(self.parts.store.documents(parse_filter(filters)))

    def delete(self, name: str) -> Document:
        """Remove the document with this doc_id or path, and return what it was."""
        self._writable("delete")
        document = self.parts.fetcher.find(name)
        self.parts.store.delete_documents([document.doc_id])
        return document

    def inspect(self, name: str) -> DocumentInspection:
        """Return all that is stored of the document with this doc_id or path."""
        document = self.parts.fetcher.find(name)
        chunks = self.parts.store.chunks(document.doc_id)
        return DocumentInspection(document=document, chunks=tuple(map(fetched_chunk, chunks)))

    def describe(self) -> Capabilities:
        """Return what this base can do and holds."""
        parts, settings = self.parts, self.settings
        scripts = parts.embedder.scripts if parts.embedder else None
        return Capabilities(
            rag_version=__version__,
            store=parts.store.stats(),
            sources=parts.store.sources(),
            modes=tuple(SearchMode),
            default_mode=settings.search.mode,
            embedder=str(parts.embedder.identity) if parts.embedder else "none",
            embedder_scripts=None if scripts is None else tuple(sorted(scripts)),
            fusion={"rrf_k": settings.search.rrf_k}
            | {f"{name}_weight": weight for name, weight in parts.weights.items()},
            filters=FILTER_KEYS,
            file_suffixes=tuple(sorted(supported_suffixes())),
            limits={
                "query_chars": MAX_QUERY_CHARS,
                "k": MAX_K,
                "candidates": settings.search.candidates,
                "budget_tokens": settings.evidence.budget_tokens,
            },
            token_counter=settings.evidence.token_counter,
            objects=tuple(WIRE_TYPES),
        )

    def repair(self) -> tuple[str, ...]:
        """Mend what an interrupted ingest left in the index; one sentence per thing done."""
        self._writable("repair")
        return self.parts.store.repair()

    def close(self) -> None:
        """Free the store, the model and the cache; closing twice is harmless."""
        self.parts.store.close()
        if self.parts.embedder is not None:
            self.parts.embedder.close()
        if self.parts.cache is not None:
            self.parts.cache.close()

    def _trace(self, response: SearchResponse, qualities: Sequence[Quality]) -> SearchTrace:
        processed = self.parts.post_processor.process(rate_hits(response.hits, qualities))
        return search_trace(
            response,
            rrf_k=self.settings.search.rrf_k,
            weights={str(name): weight for name, weight in self.parts.weights.items()},
            dropped=processed.dropped,
        )

    def _writable(self, action: str) -> None:
        if self.settings.readonly:
            raise ReadonlyError(
                f"cannot {action}: this base is open read-only",
                given=action,
                allowed="search, lookup, fetch, list, inspect, doctor, schema",
                hint="leave out --readonly, or unset RAG_READONLY",
            )


def _trust(given: Trust | str) -> Trust:
    try:
        return Trust(given)
    except ValueError:
        levels = ", ".join(Trust)
        raise InvalidArgumentError(
            f"unknown trust level {given!r}; expected one of: {levels}", given=given, allowed=levels
        ) from None
