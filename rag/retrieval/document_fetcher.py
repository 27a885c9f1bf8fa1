"""Reads stored text back: a chunk with neighbours, a whole document, a run of lines or pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rag.errors import ChunkNotFoundError, DocumentNotFoundError, InvalidArgumentError
from rag.errors.rag_error import in_words
from rag.ingest.records import Document, Span, SpanKind
from rag.ranking.records import StoredChunk
from rag.retrieval.document_origin import is_of, origin_of
from rag.retrieval.numbered_text import NumberedText, parse_ref
from rag.retrieval.records import MAX_TOKENS
from rag.stores.filters import SearchFilter
from rag.stores.protocol import KnowledgeStore
from rag.text import TokenCounter

MAX_CONTEXT = 50  # chunks on either side; more is a whole document


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedChunk:
    """One stored chunk, verbatim; ``ref`` cites it."""

    chunk_id: str
    ordinal: int
    ref: str
    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResult:
    """Stored text read back (``fetch_result.v1``).

    ``start`` and ``end`` are the lines (or pages) that ``text`` covers, from 1, both included,
    in the numbering that citations use; ``end`` is ``start - 1`` where ``text`` is empty.
    Where the budget cut a line or page that it could not hold whole, ``end`` is that one.
    ``tokens`` counts ``text`` with ``counter``. ``stale`` means what it means of a hit.
    """

    schema_version: Literal["fetch_result.v1"] = "fetch_result.v1"
    kind: Literal["chunk", "document", "span"]
    ref: str
    doc_id: str
    uri: str
    title: str
    media: str
    source: str
    indexed_at: str
    stale: bool
    unit: SpanKind
    start: int
    end: int
    text: str
    truncated: bool
    tokens: int
    counter: str
    chunk: FetchedChunk | None = None
    context_before: tuple[FetchedChunk, ...] = ()
    context_after: tuple[FetchedChunk, ...] = ()


def never_stale(indexed_at: str) -> bool:
    """Call nothing stale."""
    return False


class DocumentFetcher:
    """Reads from a store what it was given at ingest; the original files are not needed.

    Args:
        store: Where the text is.
        counter: Counts the tokens of what is read, for its report and its budget.
        is_stale: Tells from the time of indexing whether a text is stale.
    """

    def __init__(
        self,
        store: KnowledgeStore,
        counter: TokenCounter,
        *,
        is_stale: Callable[[str], bool] = never_stale,
    ) -> None:
        self._store = store
        self._counter = counter
        self.is_stale = is_stale

    def chunk(self, chunk_id: str, *, context: int = 0) -> FetchResult:
        """Return a chunk with up to ``context`` neighbours on either side, in document order.

        Raises:
            ChunkNotFoundError: no such chunk.
            InvalidArgumentError: ``context`` is outside 0..50.
        """
        if type(context) is not int or not 0 <= context <= MAX_CONTEXT:
            raise InvalidArgumentError(
                f"context must be 0 to {MAX_CONTEXT} chunks; got {in_words(context, limit=80)}",
                given=context,
                allowed=f"0 to {MAX_CONTEXT}",
            )
        found = self.find_chunk(chunk_id)
        siblings = self._store.chunks(found.doc_id) if context else ()
        before = [c for c in siblings if c.ordinal < found.ordinal][-context:] if context else []
        after = [c for c in siblings if c.ordinal > found.ordinal][:context]
        return FetchResult(
            kind="chunk",
            ref=found.citation_uri(),
            doc_id=found.doc_id,
            uri=found.uri,
            title=found.title,
            media=str(found.media),
            source=found.source,
            indexed_at=found.indexed_at,
            stale=self.is_stale(found.indexed_at),
            unit=found.span.kind,
            start=found.span.start,
            end=found.span.end,
            text=found.text,
            truncated=False,
            tokens=self._counter.count(found.text),
            counter=self._counter.name,
            chunk=_fetched_chunk(found),
            context_before=tuple(map(_fetched_chunk, before)),
            context_after=tuple(map(_fetched_chunk, after)),
        )

    def document(
        self,
        name: str,
        *,
        max_tokens: int | None = None,
        source: str | None = None,
        tenant: str | None = None,
    ) -> FetchResult:
        """Return a document's whole text, cut at a line end where ``max_tokens`` is reached.

        Raises:
            DocumentNotFoundError: no such document.
            InvalidArgumentError: several documents have this uri, or ``max_tokens`` is no budget.
        """
        document = self.find(name, source=source, tenant=tenant)
        text = NumberedText.of_chunks(self._store.chunks(document.doc_id))
        return self._result("document", document, text, max_tokens, 1, text.last)

    def span(
        self,
        name: str,
        start: int | None = None,
        end: int | None = None,
        *,
        max_tokens: int | None = None,
        source: str | None = None,
        tenant: str | None = None,
    ) -> FetchResult:
        """Return lines (pages of a PDF) ``start`` to ``end``, numbered as citations number them.

        ``name`` is a doc_id, a uri, or a citation's ref such as ``guide/a.md#L7-L12``, which
        needs no numbers beside it. ``end`` is ``start`` where it is left out; beyond the
        document it is the last line.

        Raises:
            DocumentNotFoundError: no such document.
            InvalidArgumentError: not 1 <= start <= end, ``start`` is beyond the document, or the
                ref counts pages where the document has lines.
        """
        unit: SpanKind | None = None
        if start is None:
            name, span = parse_ref(name)
            start, end, unit = span.start, span.end, span.kind
        end = start if end is None else end
        if type(start) is not int or type(end) is not int or not 1 <= start <= end:
            raise InvalidArgumentError(
                f"a span needs 1 <= start <= end; got {in_words(start, limit=40)} to "
                f"{in_words(end, limit=40)}",
                given=f"{in_words(start, limit=40)}-{in_words(end, limit=40)}",
                allowed="1 <= start <= end",
                hint="lines and pages count from 1; the end is the last to show",
            )
        document = self.find(name, source=source, tenant=tenant)
        text = NumberedText.of_chunks(self._store.chunks(document.doc_id))
        if start > text.last or unit not in (None, text.unit):
            raise InvalidArgumentError(
                f"{document.uri} has {text.last} {text.unit}s; the span starts at "
                f"{unit or text.unit} {start}",
                given=start,
                allowed=f"{text.unit}s 1 to {text.last}",
                hint="take the citation as a result gives it, or fetch the whole document",
            )
        end = min(end, text.last)
        return self._result("span", document, text.between(start, end), max_tokens, start, end)

    def find(self, name: str, *, source: str | None = None, tenant: str | None = None) -> Document:
        """Return the document with this doc_id or uri.

        Of several with one uri, ``source`` and ``tenant`` tell which. With ``tenant``, those of
        others are not there; whether one of them is, is not told.

        Raises:
            DocumentNotFoundError: no such document.
            InvalidArgumentError: several sources or tenants have this uri.
        """
        document = self._store.document(name)
        if document is not None and is_of(document, source, tenant):
            return document
        alike = SearchFilter(path_prefix=name, tenant=tenant)
        same = [
            d for d in self._store.documents(alike) if d.uri == name and is_of(d, source, tenant)
        ]
        if not same:
            where = "in this index" if source is None else f"of the source {source!r:.100}"
            raise DocumentNotFoundError(
                f"no document {name!r:.200} {where}",
                given=name,
                allowed="a doc_id or path, as results and the list of documents show them",
                hint="see what there is: list the documents, or search for a word in it",
            )
        if len(same) > 1:
            ids = ", ".join(f"{d.doc_id} ({origin_of(d)})" for d in same)
            raise InvalidArgumentError(
                f"{len(same)} documents have the path {name!r}: {ids}",
                given=name,
                allowed="a doc_id; to read, a path with its source, and tenant if it has one",
                hint="name one of them by its doc_id, or fetch with source and tenant",
            )
        return same[0]

    def find_chunk(self, chunk_id: str, *, tenant: str | None = None) -> StoredChunk:
        """Return the chunk with this id, one of ``tenant`` if given; raises ChunkNotFoundError."""
        found = self._store.chunk(chunk_id)
        if found is None or tenant not in (None, found.tenant):
            raise ChunkNotFoundError(
                f"no chunk {chunk_id!r:.200} in this index",
                given=chunk_id,
                allowed="a chunk_id from a search or lookup result",
                hint="the document may have been ingested again since; search again",
            )
        return found

    def _result(
        self,
        kind: Literal["document", "span"],
        document: Document,
        numbered: NumberedText,
        max_tokens: int | None,
        start: int,
        end: int,
    ) -> FetchResult:
        text = numbered.text()
        kept = self._cut(text, max_tokens)
        if len(kept) < len(text):
            end = numbered.number_at(len(kept)) or start - 1
        span = Span(kind=numbered.unit, start=start, end=end) if end >= start else None
        return FetchResult(
            kind=kind,
            ref=f"{document.uri}#{span.fragment()}" if span else document.uri,
            doc_id=document.doc_id,
            uri=document.uri,
            title=document.title,
            media=str(document.media),
            source=document.source,
            indexed_at=document.indexed_at,
            stale=self.is_stale(document.indexed_at),
            unit=numbered.unit,
            start=start,
            end=end,
            text=kept,
            truncated=len(kept) < len(text),
            tokens=self._counter.count(kept),
            counter=self._counter.name,
        )

    def _cut(self, text: str, max_tokens: int | None) -> str:
        if max_tokens is None:
            return text
        if type(max_tokens) is not int or not 0 <= max_tokens <= MAX_TOKENS:
            allowed = f"a whole number from 0 to {MAX_TOKENS:,}"
            raise InvalidArgumentError(
                f"max_tokens must be {allowed}; got {in_words(max_tokens, limit=80)}",
                given=max_tokens,
                allowed=allowed,
            )
        length = self._counter.prefix(text, max_tokens)
        if length >= len(text):
            return text
        # whole lines; where not even the first fits, as much of it as does
        return text[: text.rfind("\n", 0, length) + 1] or text[:length]


def _fetched_chunk(chunk: StoredChunk) -> FetchedChunk:
    return FetchedChunk(
        chunk_id=chunk.chunk_id,
        ordinal=chunk.ordinal,
        ref=chunk.citation_uri(),
        heading_path=chunk.heading_path,
        text=chunk.text,
    )
