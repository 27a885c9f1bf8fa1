"""What plugs into the stores room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from rag.ingest.records import Document, Source
from rag.ranking.records import Channel, SearchHit, StoredChunk
from rag.stores.filters import SearchFilter
from rag.stores.records import (
    DocumentWrite,
    HealthCheck,
    StoreQuery,
    StoreResponse,
    StoreStats,
    TermReport,
)

IndexProgress = Callable[[str, int, int], None]
"""Called with the name of a step, what is done of it, and the total, in chunks."""


class Retriever(Protocol):
    """One channel: a ranking of chunks for a query.

    ``search`` returns at most ``query.candidates`` hits, best first, ranks from 1 without gaps,
    each chunk once, ties by ``chunk_id``; it ignores ``k``, ``offset`` and ``mode``.
    A lexical retriever labels its hits ``hybrid``/``bm25``, a vector one ``dense``/``cosine``.
    Every hit passes ``query.filters``; a filter narrows what is searched, never what was found,
    so ranks do not depend on chunks that the caller may not see.

    Raises:
        StoreError: the engine failed; foreign exceptions never leave.
    """

    channel: Channel

    def search(self, query: StoreQuery) -> tuple[SearchHit, ...]: ...

    def index_version(self) -> str:
        """Name what the index was built with; two channels of one index return equal strings."""
        ...


class LexicalRetriever(Retriever, Protocol):
    """A retriever over words, which can say beforehand that a text has none to search for."""

    def has_terms(self, text: str) -> bool:
        """Whether the text has a searchable word; if not, the channel is not asked."""
        ...


@runtime_checkable
class TermReporting(Protocol):
    """A lexical retriever that knows how frequent the words of a query are."""

    def search_with_terms(self, query: StoreQuery) -> tuple[tuple[SearchHit, ...], TermReport]:
        """Return what ``search`` returns, and what the query's words weigh."""
        ...


class KnowledgeStore(Protocol):
    """Documents, their chunks, and labelled search over them.

    Order, labels and scores are as ``docs/score-semantics.md`` says; a search changes nothing.
    The same query on the same revision gives the same answer.
    All methods raise ``StoreError`` subclasses only, and ``search`` also ``RetrievalError`` and
    ``DeadlineExceededError``; safe to call from several threads.
    """

    def search(self, query: StoreQuery) -> StoreResponse:
        """Run the channels of ``query.mode``, fuse, label; see ``HybridRetriever``."""
        ...

    def write_documents(self, writes: Sequence[DocumentWrite]) -> None:
        """Store whole documents, replacing older generations.

        A reader sees a document's old or new text at any moment, never neither. The corpus
        revision changes once per call that wrote anything.
        """
        ...

    def delete_documents(self, doc_ids: Sequence[str]) -> int:
        """Remove documents with all their chunks; return how many existed."""
        ...

    def documents(self, filters: SearchFilter = ..., /) -> Iterator[Document]:
        """Yield the stored documents that pass, ordered by source, then uri."""
        ...

    def document(self, doc_id: str) -> Document | None: ...

    def chunks(self, doc_id: str) -> tuple[StoredChunk, ...]:
        """Return a document's chunks of its newest generation in document order."""
        ...

    def chunk(self, chunk_id: str) -> StoredChunk | None: ...

    def export(self, doc_ids: Sequence[str]) -> tuple[DocumentWrite, ...]:
        """Return documents as they were written: chunks with their offsets, and vectors.

        They come in the order asked; one that does not exist is left out. What comes out can be
        written to another store of the same embedder as it is. A store opened without its
        embedder exports its vectors all the same.
        """
        ...

    def unmatched_terms(
        self, terms: Sequence[str], filters: SearchFilter = ..., /
    ) -> tuple[str, ...]:
        """Return those analysed terms that occur in no chunk passing the filter, order kept."""
        ...

    def sources(self) -> tuple[Source, ...]:
        """Return the registered sources, ordered by name."""
        ...

    def put_source(self, source: Source) -> None:
        """Register a source, or replace what was registered under its name."""
        ...

    def revision(self) -> str:
        """Name the corpus state; changes with every write."""
        ...

    def stats(self) -> StoreStats: ...

    def build_index(self, progress: IndexProgress | None = None, /) -> bool:
        """Build or refresh what is derived for speed, where it is due; to be called after writes.

        Searches are right without it, only slower. Return whether anything was built.

        Raises:
            MissingExtraError: it is due and needs an optional package.
            StoreLockedError: another process is building.
        """
        ...

    def check(self) -> tuple[HealthCheck, ...]:
        """Look for damage: generations left over, chunks without document, wrong counts."""
        ...

    def repair(self) -> tuple[str, ...]:
        """Mend what ``check`` finds; return one sentence per thing done."""
        ...

    def close(self) -> None: ...
