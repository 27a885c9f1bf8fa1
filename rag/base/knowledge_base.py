"""A base of documents as its user sees it: ingest, search, look up, read back, look after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rag.answerability import AnswerabilityEstimator
from rag.base.deletion import delete_all, delete_document
from rag.base.description import describe_base
from rag.base.fetch_stored import fetch_stored
from rag.base.inspection import inspect_chunk, inspect_document
from rag.base.search_presenter import SearchPresenter
from rag.embedding import Embedder, VectorCache
from rag.evidence.batch_records import RagBatchResult
from rag.evidence.records import RagToolResult
from rag.indexing.ingest_request import IngestRequest
from rag.indexing.writer import KnowledgeWriter
from rag.ingest.protocol import IngestProgress
from rag.ingest.records import Document, IngestReport, Trust
from rag.ranking import Channel
from rag.requests.batch_request import BatchRequest, Question
from rag.requests.fetch_request import FetchRequest, parse_fetch
from rag.requests.ingest_arguments import AboutDocuments, PathIngest, TextIngest, in_text
from rag.requests.list_request import ListRequest
from rag.requests.name_request import checked_name
from rag.requests.request import parse_as
from rag.requests.reset_request import ResetRequest
from rag.retrieval import DocumentFetcher, SearchQuery, VectorSearchService
from rag.retrieval.document_fetcher import FetchResult
from rag.settings import Settings
from rag.stores.filters import SearchFilter, parse_filter
from rag.stores.protocol import KnowledgeStore
from rag.text import TokenCounter
from rag.tool import LookupKnowledgeTool, LookupRequest, SearchRequest
from rag.wire.base_reports import (
    Capabilities,
    ChunkInspection,
    DeletionReport,
    DocumentInspection,
    DocumentList,
)
from rag.wire.bulk_search import BulkItem, bulk_item, checked_searches
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
    answerability: AnswerabilityEstimator | None = None
    answerability_warnings: tuple[str, ...] = ()


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
        """Bring the base in line with a folder or file; see :meth:`KnowledgeWriter.ingest`.

        What may be said of its documents is in ``AboutDocuments``.
        """
        self.settings.require_writable("ingest")
        about = {"source": source, "tenant": tenant, "tags": tags, "trust": in_text(trust)}
        given = parse_as(
            PathIngest, {**about, "path": in_text(path), "source_type": source_type, "force": force}
        )
        return self.parts.writer.ingest(_to_write(given, given.path, force=given.force), progress)

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
            UnreadableFileError: it is empty, too large, or nothing of the kind that the suffix
                says.
        """
        self.settings.require_writable("ingest a text")
        about = {"source": source, "tenant": tenant, "tags": tags, "trust": in_text(trust)}
        given = parse_as(
            TextIngest,
            {
                **about,
                "name": name,
                "text": "" if isinstance(text, bytes) else text,
                "source_type": source_type,
            },
        )
        request = _to_write(given, given.name)
        if isinstance(text, bytes):
            return self.parts.writer.ingest_bytes(text, request)
        return self.parts.writer.ingest_text(given.text, request)

    def search(
        self, query: SearchRequest | str | Mapping[str, Any], /, **options: Any
    ) -> SearchResult:
        """Return a page of labelled hits in rank order; ``trace`` adds all that is behind it.

        ``query`` is the text, or an object with the fields of ``SearchRequest``; ``options`` are
        further fields. ``max_tokens`` bounds the hits as JSON: snippets get shorter, then hits go
        from the end.

        Raises:
            InvalidInputError: a field is at fault.
            RetrievalError: every channel that was asked failed.
        """
        given = parse_as(SearchRequest, query, options)
        asked = SearchQuery(
            text=given.query,
            mode=given.mode,
            k=given.k,
            filters=given.filters,
            cursor=given.cursor,
            snippet_chars=given.snippet_chars,
            deadline_s=given.deadline_s,
        )
        return self.parts.presenter.search(asked, max_tokens=given.max_tokens, trace=given.trace)

    def search_many(self, queries: Sequence[str | Mapping[str, Any]]) -> tuple[BulkItem, ...]:
        """Answer up to 100 searches; one that fails has its error in its own item.

        A search is a string, or a flat object: ``{"query": "backups", "k": 3, "lang": ["en"]}``.

        Raises:
            InvalidArgumentError: it is no list, or there are more than 100.
        """
        return tuple(bulk_item(query, self.search) for query in checked_searches(queries))

    def lookup(
        self, query: LookupRequest | str | Mapping[str, Any], /, **options: Any
    ) -> RagToolResult:
        """Return cited evidence and a verdict; options as in ``LookupRequest``."""
        return self.parts.tool.lookup(query, **options)

    def lookup_many(
        self, queries: BatchRequest | Sequence[Question], /, **options: Any
    ) -> RagBatchResult:
        """Return the results of several questions in one budget; options as in ``BatchRequest``."""
        return self.parts.tool.lookup_many(queries, **options)

    def documents(self, filters: Filters = None) -> tuple[Document, ...]:
        """Return the stored documents, ordered by source, then path."""
        return tuple(self.parts.store.documents(parse_filter(filters)))

    def list_documents(
        self, filters: Filters = None, *, limit: int | None = None, offset: int = 0
    ) -> DocumentList:
        """Return ``limit`` documents after the first ``offset``, and how many there are."""
        given = parse_as(ListRequest, {"filters": filters, "limit": limit, "offset": offset})
        found = self.documents(given.filters)
        rest = found[given.offset :]
        return DocumentList(documents=rest[: given.limit], total=len(found))

    def fetch(self, request: FetchRequest | Mapping[str, Any], /) -> FetchResult:
        """Return stored text; the fields are those of ``FetchRequest``."""
        return fetch_stored(self.parts.fetcher, parse_fetch(request))

    def fetch_chunk(self, chunk_id: str, *, context: int = 0) -> FetchResult:
        """Return a chunk with up to ``context`` neighbours on either side, in document order."""
        return self.fetch({"kind": "chunk", "name": chunk_id, "context": context})

    def fetch_document(self, name: str, **options: Any) -> FetchResult:
        """Return the text of the document with this doc_id or path.

        ``options`` are ``max_tokens``, and ``source`` and ``tenant`` where several have the path.
        """
        return self.fetch({**options, "kind": "document", "name": name})

    def fetch_span(
        self, name: str, start: int | None = None, end: int | None = None, **options: Any
    ) -> FetchResult:
        """Return lines, or pages, as citations number them; ``name`` may be a citation's ref.

        ``options`` are those of :meth:`fetch_document`.
        """
        return self.fetch({**options, "kind": "span", "name": name, "start": start, "end": end})

    def inspect_document(self, name: str) -> DocumentInspection:
        """Return all that is stored of the document with this doc_id or path."""
        document = self.parts.fetcher.find(checked_name(name))
        return inspect_document(self.parts.store, document, self.parts.counter)

    def inspect_chunk(self, chunk_id: str) -> ChunkInspection:
        """Return all that is stored of a chunk."""
        chunk_id = checked_name(chunk_id)
        found = self.parts.fetcher.find_chunk(chunk_id)
        return inspect_chunk(self.parts.store, found.doc_id, chunk_id, self.parts.counter)

    def delete(self, name: str) -> DeletionReport:
        """Remove the document with this doc_id or path; a later ingest of its file adds it again.

        Raises:
            DocumentNotFoundError: no such document.
            ReadonlyError: the base is read-only.
        """
        self.settings.require_writable("delete")
        return delete_document(self.parts.store, self.parts.fetcher.find(checked_name(name)))

    def reset(self, *, source: str | None = None, confirm: bool = False) -> DeletionReport:
        """Remove every document, or every one of a source; ``confirm`` says that it is meant.

        Raises:
            ConfirmationRequiredError: ``confirm`` is not given.
            NotFoundError: there is no such source.
            ReadonlyError: the base is read-only.
        """
        self.settings.require_writable("reset")
        given = parse_as(ResetRequest, {"source": source, "confirm": confirm})
        return delete_all(self.parts.store, given.source, confirmed=given.confirm)

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


def _to_write(about: AboutDocuments, path: str, *, force: bool = False) -> IngestRequest:
    return IngestRequest(
        path=Path(path),
        source=about.source,
        tenant=about.tenant,
        tags=about.tags,
        trust=Trust(about.trust),
        source_type=about.source_type,
        force=force,
    )
