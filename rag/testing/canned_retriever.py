"""A retriever whose answer is given beforehand: fusion and search without an engine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rag.errors import StoreError
from rag.ingest.records import Media, Span, Trust
from rag.ranking.records import (
    Channel,
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
    StoredChunk,
)
from rag.stores.filter_match import matcher
from rag.stores.records import StoreQuery
from rag.text import Snippet


class CannedRetriever:
    """One channel that returns the given chunks in the given order.

    It keeps the retriever contract: the filter narrows before ranks are given, at most
    ``candidates`` hits come back, and ``k`` and ``offset`` change nothing.

    Args:
        channel: Whose labels the hits carry.
        ranking: Chunks with their raw scores (higher better, None where there is none), best
            first.
        error: Raised by every search instead of an answer.
        terms: What ``has_terms`` says.
        snippets: Snippets by chunk id; other hits have none.
        filtering: False returns rows that the filter excludes too, as a faulty engine would.
    """

    def __init__(
        self,
        channel: Channel,
        ranking: Sequence[tuple[StoredChunk, float | None]] = (),
        *,
        index_version: str = "canned",
        error: StoreError | None = None,
        terms: bool = True,
        snippets: Mapping[str, Snippet] | None = None,
        filtering: bool = True,
    ) -> None:
        self.channel = channel
        self.ranking = tuple(ranking)
        self.error = error
        self.terms = terms
        self.snippets = dict(snippets or {})
        self.filtering = filtering
        self.queries: list[StoreQuery] = []
        """Every query that was asked, in order."""
        self._index_version = index_version

    def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
        self.queries.append(query)
        if self.error is not None:
            raise self.error
        passes = matcher(query.filters)
        rows = [row for row in self.ranking if not self.filtering or passes(row[0])]
        return tuple(
            self._hit(chunk, score, rank)
            for rank, (chunk, score) in enumerate(rows[: query.candidates], 1)
        )

    def index_version(self) -> str:
        return self._index_version

    def has_terms(self, text: str) -> bool:
        return self.terms

    def _hit(self, chunk: StoredChunk, score: float | None, rank: int) -> SearchHit:
        lexical = self.channel is Channel.LEXICAL
        return SearchHit(
            chunk=chunk,
            rank=rank,
            score=score,
            score_label=ScoreLabel.HYBRID if lexical else ScoreLabel.DENSE,
            score_kind=ScoreKind.BM25 if lexical else ScoreKind.COSINE,
            retrieval=RetrievalDetail(method="lexical", lexical_score=score, lexical_rank=rank)
            if lexical
            else RetrievalDetail(method="vector", vector_score=score, vector_rank=rank),
            snippet=self.snippets.get(chunk.chunk_id),
        )


def canned_chunk(name: str, **changes: Any) -> StoredChunk:
    """Return a chunk with the canonical id of ``name`` and plausible facts, but for ``changes``.

    The same name and changes give an equal chunk; each name is a document of its own.
    """
    text = changes.get("text", f"Text of {name}.")
    chunk = StoredChunk(
        chunk_id=_id("chunk", name),
        doc_id=_id("document", name),
        ordinal=0,
        text=text,
        heading_path=(),
        span=Span(kind="line", start=1, end=1),
        uri=f"{name}.md",
        title=name,
        media=Media.MARKDOWN,
        language="en",
        tags=(),
        source="default",
        source_type="document",
        trust=Trust.PRIMARY,
        tenant="",
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        indexed_at="2026-01-01T00:00:00Z",
        generation=1,
    )
    return replace(chunk, **changes)


def _id(kind: str, name: str) -> str:
    return hashlib.sha256(f"{kind} {name}".encode()).hexdigest()[:32]
