"""Chunks, hits and counters that the evidence tests are written with."""

from __future__ import annotations

from collections.abc import Sequence

from rag.evidence.records import Drop, Evidence, RatedChunk
from rag.ingest.records import Media, Span, Trust
from rag.ranking.records import RetrievalDetail, StoredChunk
from rag.text import EstimatingTokenCounter, TokenCounter, make_token_counter

COUNTERS = ("estimate", "o200k", "cl100k")


def counter(name: str) -> TokenCounter:
    return EstimatingTokenCounter() if name == "estimate" else make_token_counter(name)


class WordCounter:
    """A counter whose tokens are words, so that a test can count by hand."""

    name = "words"

    def count(self, text: str, /) -> int:
        return len(text.split())

    def prefix(self, text: str, max_tokens: int, /) -> int:
        words = text.split(maxsplit=max(0, max_tokens))
        if max_tokens < 1 or not words:
            return 0
        rest = words[-1] if len(words) > max_tokens else ""
        return len(text) - len(rest)


def chunk(
    chunk_id: str,
    text: str,
    *,
    doc: str = "",
    heading_path: tuple[str, ...] = (),
    title: str = "",
    uri: str = "",
    lines: tuple[int, int] = (1, 1),
    indexed_at: str = "2026-01-01T00:00:00+00:00",
) -> StoredChunk:
    doc = doc or f"doc-{chunk_id}"
    return StoredChunk(
        chunk_id=chunk_id,
        doc_id=doc,
        ordinal=0,
        text=text,
        heading_path=heading_path,
        span=Span(kind="line", start=lines[0], end=lines[1]),
        uri=uri or f"{doc}.md",
        title=title,
        media=Media.MARKDOWN,
        language="en",
        tags=(),
        source="default",
        source_type="document",
        trust=Trust.PRIMARY,
        tenant="",
        content_hash=chunk_id,
        indexed_at=indexed_at,
        generation=1,
    )


def rated(
    stored: StoredChunk,
    rank: int,
    quality: float = 1.0,
    *,
    retrieval: RetrievalDetail | None = None,
) -> RatedChunk:
    return RatedChunk(chunk=stored, rank=rank, quality=quality, retrieval=retrieval)


def ranked(chunks: Sequence[StoredChunk]) -> list[RatedChunk]:
    """Rate chunks as a fused ranking does: 1 − (rank − 1) / batch size."""
    return [rated(one, at + 1, 1 - at / len(chunks)) for at, one in enumerate(chunks)]


def evidence(*texts: str) -> list[Evidence]:
    """One piece of evidence per text, ``c1``, ``c2``, … in rank order."""
    chunks = [chunk(f"c{at}", text) for at, text in enumerate(texts, start=1)]
    return [Evidence(rated=one) for one in ranked(chunks)]


def ids(pieces: Sequence[Evidence]) -> list[str]:
    return [piece.rated.chunk.chunk_id for piece in pieces]


def reasons(drops: Sequence[Drop]) -> dict[str, str]:
    return {one.chunk_id: str(one.reason) for one in drops}
