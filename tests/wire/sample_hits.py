"""Hits made up for tests of the wire room."""

from __future__ import annotations

from rag.evidence.records import Citation
from rag.ranking.records import RetrievalDetail, ScoreKind, ScoreLabel
from rag.wire.search_response import ResultHit, SnippetText


def hit(rank: int, snippet: str) -> ResultHit:
    """Return a hit of a rank with a snippet."""
    return ResultHit(
        rank=rank,
        score=1 / rank,
        score_kind=ScoreKind.RRF,
        score_label=ScoreLabel.HYBRID,
        quality=1 / rank,
        flags=(),
        chunk_id=f"{rank:032x}",
        doc_id="d" * 32,
        doc_path="guide/a.md",
        title="A",
        heading_path=("A", "B"),
        snippet=SnippetText(text=snippet, matches=()),
        citation=Citation(
            ref="guide/a.md#L1",
            uri="guide/a.md",
            kind="line",
            start=1,
            end=1,
            doc_id="d" * 32,
            chunk_id=f"{rank:032x}",
        ),
        retrieval=RetrievalDetail(method="hybrid", fusion_score=1 / rank),
        media="markdown",
        language="en",
        tags=(),
        source="default",
        source_type="document",
        trust="primary",
        indexed_at="2026-01-01T00:00:00+00:00",
        stale=False,
    )
