"""Reads stored text back: a chunk with neighbours, a whole document, a run of lines or pages."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import Literal

from rag.errors import ChunkNotFoundError, DocumentNotFoundError, InvalidArgumentError
from rag.ingest.records import Document, Media, SpanKind
from rag.ranking.records import StoredChunk
from rag.stores.filters import SearchFilter
from rag.stores.protocol import KnowledgeStore
from rag.text import TokenCounter

MAX_CONTEXT = 50  # chunks on either side; more is a whole document


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedChunk:
    """One stored chunk, verbatim."""

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
    ``tokens`` counts ``text`` with ``counter``.
    """

    schema_version: Literal["fetch_result.v1"] = "fetch_result.v1"
    kind: Literal["chunk", "document", "span"]
    doc_id: str
    uri: str
    title: str
    media: str
    source: str
    indexed_at: str
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


class DocumentFetcher:
    """Reads from a store what it was given at ingest; the original files are not needed."""

    def __init__(self, store: KnowledgeStore, counter: TokenCounter) -> None:
        self._store = store
        self._counter = counter

    def chunk(self, chunk_id: str, *, context: int = 0) -> FetchResult:
        """Return a chunk with up to ``context`` neighbours on either side, in document order.

        Raises:
            ChunkNotFoundError: no such chunk.
            InvalidArgumentError: ``context`` is outside 0..50.
        """
        if not 0 <= context <= MAX_CONTEXT:
            raise InvalidArgumentError(
                f"context must be 0 to {MAX_CONTEXT} chunks; got {context}",
                given=context,
                allowed=f"0 to {MAX_CONTEXT}",
            )
        found = self._store.chunk(chunk_id)
        if found is None:
            raise ChunkNotFoundError(
                f"no chunk {chunk_id!r} in this index",
                given=chunk_id,
                allowed="a chunk_id from a search or lookup result",
                hint="the document may have been re-ingested since; search again",
            )
        siblings = self._store.chunks(found.doc_id) if context else (found,)
        before = (
            tuple(c for c in siblings if c.ordinal < found.ordinal)[-context:] if context else ()
        )
        after = tuple(c for c in siblings if c.ordinal > found.ordinal)[:context]
        return FetchResult(
            kind="chunk",
            doc_id=found.doc_id,
            uri=found.uri,
            title=found.title,
            media=str(found.media),
            source=found.source,
            indexed_at=found.indexed_at,
            unit=found.span.kind,
            start=found.span.start,
            end=found.span.end,
            text=found.text,
            truncated=False,
            tokens=self._counter.count(found.text),
            counter=self._counter.name,
            chunk=fetched_chunk(found),
            context_before=tuple(map(fetched_chunk, before)),
            context_after=tuple(map(fetched_chunk, after)),
        )

    def document(self, name: str, *, max_tokens: int | None = None) -> FetchResult:
        """Return a document's whole text, cut at a line end where ``max_tokens`` is reached.

        ``name`` is a doc_id or a uri.

        Raises:
            DocumentNotFoundError: no such document.
            InvalidArgumentError: several sources have this uri, or ``max_tokens`` is negative.
        """
        document, chunks = self._load(name)
        text = "".join(chunk.text for chunk in chunks)
        unit, last = chunks[-1].span.kind, chunks[-1].span.end
        return self._result("document", document, unit, text, 1, last, max_tokens)

    def span(
        self, name: str, start: int, end: int, *, max_tokens: int | None = None
    ) -> FetchResult:
        """Return lines (pages of a PDF) ``start`` to ``end``, numbered as citations number them.

        An ``end`` beyond the document is cut to its last line.

        Raises:
            DocumentNotFoundError: no such document.
            InvalidArgumentError: not 1 <= start <= end, or ``start`` is beyond the document.
        """
        if not 1 <= start <= end:
            raise InvalidArgumentError(
                f"a span needs 1 <= start <= end; got {start} to {end}",
                given=f"{start}-{end}",
                allowed="1 <= start <= end",
            )
        document, chunks = self._load(name)
        unit, last = chunks[-1].span.kind, chunks[-1].span.end
        if start > last:
            raise InvalidArgumentError(
                f"{document.uri} has {last} {unit}s; the span starts at {start}",
                given=start,
                allowed=f"1 to {last}",
            )
        end = min(end, last)
        if unit == "page":
            text = "".join(c.text for c in chunks if start <= c.span.start <= end)
        else:
            # StringIO breaks at \n alone, as readers count; splitlines would at \f and \x85 too
            lines = StringIO("".join(c.text for c in chunks), newline="\n").readlines()
            text = "".join(lines[start - 1 : end])
        return self._result("span", document, unit, text, start, end, max_tokens)

    def find(self, name: str) -> Document:
        """Return the document with this doc_id or uri; raises as :meth:`document`."""
        document = self._store.document(name)
        if document is not None:
            return document
        same = [d for d in self._store.documents(SearchFilter(path_prefix=name)) if d.uri == name]
        if not same:
            raise DocumentNotFoundError(
                f"no document {name!r} in this index",
                given=name,
                allowed="a doc_id, or a path as `rag list` prints it",
                hint="see what there is with: rag list",
            )
        if len(same) > 1:
            ids = ", ".join(f"{d.doc_id} ({d.source})" for d in same)
            raise InvalidArgumentError(
                f"{len(same)} documents have the path {name!r}: {ids}",
                given=name,
                allowed="a doc_id",
                hint="name one of them by its doc_id",
            )
        return same[0]

    def _load(self, name: str) -> tuple[Document, tuple[StoredChunk, ...]]:
        document = self.find(name)
        chunks = self._store.chunks(document.doc_id)
        if not chunks:  # deleted between the two reads
            raise DocumentNotFoundError(f"document {name!r} was just removed", given=name)
        return document, chunks

    def _result(
        self,
        kind: Literal["document", "span"],
        document: Document,
        unit: SpanKind,
        text: str,
        start: int,
        end: int,
        max_tokens: int | None,
    ) -> FetchResult:
        kept = self._cut(text, max_tokens)
        if len(kept) < len(text):
            covered = kept.count("\n") if unit == "line" else kept.count("\f") + bool(kept)
            end = start + covered - 1
        return FetchResult(
            kind=kind,
            doc_id=document.doc_id,
            uri=document.uri,
            title=document.title,
            media=str(Media(document.media)),
            source=document.source,
            indexed_at=document.indexed_at,
            unit=unit,
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
        if max_tokens < 0:
            raise InvalidArgumentError(
                f"max_tokens must be at least 0; got {max_tokens}",
                given=max_tokens,
                allowed="0 or more",
            )
        length = self._counter.prefix(text, max_tokens)
        if length >= len(text):
            return text
        return text[: text.rfind("\n", 0, length) + 1]  # whole lines only


def fetched_chunk(chunk: StoredChunk) -> FetchedChunk:
    """Return a stored chunk as it is handed out."""
    return FetchedChunk(
        chunk_id=chunk.chunk_id,
        ordinal=chunk.ordinal,
        ref=chunk.citation_uri(),
        heading_path=chunk.heading_path,
        text=chunk.text,
    )
