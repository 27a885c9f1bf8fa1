"""A base of documents as its user sees it: ingest, search, look up, read back, look after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rag.embedding import Embedder, VectorCache
from rag.errors import InvalidArgumentError
from rag.evidence.records import RagBatchResult, RagToolResult
from rag.ingest.protocol import IngestProgress
from rag.ingest.records import Document, IngestReport, Trust
from rag.ranking import Channel
from rag.retrieval import DocumentFetcher, SearchQuery, VectorSearchService
from rag.retrieval.document_fetcher import FetchResult
from rag.settings import Settings
from rag.stores.filters import SearchFilter, parse_filter
from rag.stores.ingest_request import IngestRequest
from rag.stores.protocol import KnowledgeStore
from rag.stores.writer import KnowledgeWriter
from rag.text import TokenCounter
from rag.tool import LookupKnowledgeTool
from rag.trust import TrustEstimator
from rag.wire.base_reports import (
    Capabilities,
    ChunkInspection,
    DeletionReport,
    DocumentInspection,
    DocumentList,
)
from rag.wire.bulk_search import BulkItem, bulk_item, check_bulk_size
from rag.wire.deletion import delete_all, delete_document
from rag.wire.description import describe_base
from rag.wire.inspection import inspect_chunk, inspect_document
from rag.wire.search_presenter import SearchPresenter
from rag.wire.search_response import SearchResult

Filters = Mapping[str, Any] | SearchFilter | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """What a base is made of; :mod:`rag.assembly` chooses and builds them."""

    store: KnowledgeStore
    embedder: Embedder | None
    cache: VectorCache | None
    counter: TokenCounter
    service: VectorSearchService
    presenter: SearchPresenter
    tool: LookupKnowledgeTool
    fetcher: DocumentFetcher
    writer: KnowledgeWriter
    weights: Mapping[Channel, float]
    trust: TrustEstimator | None = None


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
        self.settings.require_writable("ingest")
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
        text: str | bytes,
        *,
        name: str,
        source: str | None = None,
        tenant: str = "",
        tags: Sequence[str] = (),
        trust: Trust | str = Trust.PRIMARY,
        source_type: str = "document",
    ) -> IngestReport:
        """Store a text, or a file's bytes, under a path of your choice: ``notes/today.md``.

        Raises:
            UnreadableFileError: it is empty, or nothing of the kind that the suffix says.
        """
        self.settings.require_writable("ingest a text")
        request = IngestRequest(
            path=Path(name),
            source=source,
            tenant=tenant,
            tags=tuple(tags),
            trust=_trust(trust),
            source_type=source_type,
        )
        if isinstance(text, bytes):
            return self.parts.writer.ingest_bytes(text, request)
        return self.parts.writer.ingest_text(text, request)

    def search(
        self,
        text: str,
        *,
        mode: str | None = None,
        k: int | None = None,
        filters: Filters = None,
        cursor: str | None = None,
        snippet_chars: int | None = None,
        max_tokens: int | None = None,
        trace: bool = False,
    ) -> SearchResult:
        """Return a page of labelled hits in rank order; ``trace`` adds all that is behind it.

        ``max_tokens`` bounds the hits as JSON: snippets get shorter, then hits go from the end.

        Raises:
            InvalidInputError: the query, mode, ``k``, filter, cursor or budget is at fault.
            RetrievalError: every channel that was asked failed.
        """
        query = SearchQuery(
            text=text,
            mode=mode,
            k=k,
            filters=parse_filter(filters),
            cursor=cursor,
            snippet_chars=snippet_chars,
        )
        return self.parts.presenter.search(query, max_tokens=max_tokens, trace=trace)

    def search_many(self, queries: Sequence[str | Mapping[str, Any]]) -> tuple[BulkItem, ...]:
        """Answer up to 100 searches; one that fails has its error in its own item.

        A search is a string, or a flat object: ``{"query": "backups", "k": 3, "lang": ["en"]}``.

        Raises:
            InvalidArgumentError: there are more than 100.
        """
        check_bulk_size(len(queries))
        return tuple(bulk_item(query, self.search) for query in queries)

    def lookup(self, query: str, **options: Any) -> RagToolResult:
        """Return cited evidence and a verdict; options as in ``LookupRequest``."""
        return self.parts.tool.lookup(query, **options)

    def lookup_many(
        self, queries: Sequence[str | Mapping[str, Any]], **options: Any
    ) -> RagBatchResult:
        """Return the results of several questions packed into one shared budget."""
        return self.parts.tool.lookup_many(queries, **options)

    def documents(self, filters: Filters = None) -> tuple[Document, ...]:
        """Return the stored documents, ordered by source, then path."""
        return tuple(self.parts.store.documents(parse_filter(filters)))

    def list_documents(self, filters: Filters = None, *, limit: int | None = None) -> DocumentList:
        """Return the first ``limit`` documents and how many there are."""
        if limit is not None and (type(limit) is not int or limit < 0):
            raise InvalidArgumentError(
                f"limit must be a whole number, at least 0; got {limit!r:.80}",
                given=limit,
                allowed="0 or more",
            )
        found = self.documents(filters)
        return DocumentList(documents=found[:limit], total=len(found))

    def fetch_chunk(self, chunk_id: str, *, context: int = 0) -> FetchResult:
        """Return a chunk with up to ``context`` neighbours on either side, in document order."""
        return self.parts.fetcher.chunk(chunk_id, context=context)

    def fetch_document(self, name: str, *, max_tokens: int | None = None) -> FetchResult:
        """Return the text of the document with this doc_id or path."""
        return self.parts.fetcher.document(name, max_tokens=max_tokens)

    def fetch_span(
        self,
        name: str,
        start: int | None = None,
        end: int | None = None,
        *,
        max_tokens: int | None = None,
    ) -> FetchResult:
        """Return lines, or pages, as citations number them; ``name`` may be a citation's ref."""
        return self.parts.fetcher.span(name, start, end, max_tokens=max_tokens)

    def inspect_document(self, name: str) -> DocumentInspection:
        """Return all that is stored of the document with this doc_id or path."""
        document = self.parts.fetcher.find(name)
        return inspect_document(self.parts.store, document, self.parts.counter)

    def inspect_chunk(self, chunk_id: str) -> ChunkInspection:
        """Return all that is stored of a chunk."""
        found = self.parts.fetcher.find_chunk(chunk_id)
        return inspect_chunk(self.parts.store, found.doc_id, chunk_id, self.parts.counter)

    def delete(self, name: str) -> DeletionReport:
        """Remove the document with this doc_id or path; a later ingest of its file adds it again.

        Raises:
            DocumentNotFoundError: no such document.
            ReadonlyError: the base is read-only.
        """
        self.settings.require_writable("delete")
        return delete_document(self.parts.store, self.parts.fetcher.find(name))

    def reset(self, *, source: str | None = None, confirm: bool = False) -> DeletionReport:
        """Remove every document, or every one of a source; ``confirm`` says that it is meant.

        Raises:
            ConfirmationRequiredError: ``confirm`` is not given.
            NotFoundError: there is no such source.
            ReadonlyError: the base is read-only.
        """
        self.settings.require_writable("reset")
        return delete_all(self.parts.store, source, confirmed=confirm)

    def describe(self) -> Capabilities:
        """Return what this base can do and holds."""
        parts = self.parts
        return describe_base(
            self.settings,
            parts.store,
            parts.embedder,
            parts.counter,
            weights=parts.weights,
            is_stale=parts.fetcher.is_stale,
        )

    def repair(self) -> tuple[str, ...]:
        """Mend what an interrupted ingest left in the index; one sentence per thing done."""
        self.settings.require_writable("repair")
        return self.parts.store.repair()

    def close(self) -> None:
        """Free the store, the model and the cache; closing twice is harmless."""
        self.parts.store.close()
        if self.parts.embedder is not None:
            self.parts.embedder.close()
        if self.parts.cache is not None:
            self.parts.cache.close()


def _trust(given: Trust | str) -> Trust:
    try:
        return Trust(given)
    except ValueError:
        levels = ", ".join(Trust)
        raise InvalidArgumentError(
            f"unknown trust level {given!r}; expected one of: {levels}", given=given, allowed=levels
        ) from None
