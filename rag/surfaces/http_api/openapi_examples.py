"""Examples for the OpenAPI description, made of the records themselves so that they stay true."""

from __future__ import annotations

from typing import Any

from rag.errors import InvalidArgumentError
from rag.evidence.records import (
    BudgetUse,
    ChannelOutcome,
    Citation,
    EvidenceItem,
    GateReason,
    RagToolResult,
    RelevanceLevel,
    RetryAdvice,
)
from rag.ranking.records import RetrievalDetail
from rag.surfaces.http_api.problem import problem
from rag.wire import to_wire

QUESTION = "How long are backups kept?"
DOC_ID = "6e8a8b9ed1c04b1f8f2c9f1f2f0c7a51"
CHUNK_ID = "c1c79a1e42a44a0c9a8d7f6e5d4c3b2a"
TEXT = "Daily backups are kept for 35 days, monthly ones for a year.\n"

LOOKUPS: dict[str, Any] = {
    "plain": {"summary": "A question", "value": {"query": QUESTION}},
    "narrow": {
        "summary": "Within a folder, in English, in 500 tokens",
        "value": {
            "query": QUESTION,
            "k": 5,
            "filters": {"lang": ["en"], "path_prefix": "guide/"},
            "budget_tokens": 500,
        },
    },
    "counted": {
        "summary": "With attempts counted",
        "value": {"query": QUESTION, "session_id": "conversation-17"},
    },
}
BATCHES: dict[str, Any] = {
    "plain": {
        "summary": "Two questions, one budget",
        "value": {
            "queries": [QUESTION, "How fast must a SEV1 incident be answered?"],
            "budget_tokens": 800,
        },
    },
    "own options": {
        "summary": "A question with options of its own",
        "value": {"queries": [{"query": QUESTION, "mode": "lexical"}], "k": 5},
    },
}
SEARCHES: dict[str, Any] = {
    "plain": {"summary": "Words", "value": {"query": "backup retention", "k": 5}},
    "traced": {
        "summary": "With everything behind it",
        "value": {"query": "backup retention", "mode": "hybrid", "trace": True},
    },
}
INGESTS: dict[str, Any] = {
    "text": {
        "summary": "A text",
        "value": {"name": "notes/backups.md", "text": f"# Backups\n\n{TEXT}", "tags": ["ops"]},
    },
    "path": {
        "summary": "A folder of the service's machine",
        "value": {"path": "/srv/handbook", "source": "handbook"},
    },
}

LOOKED_UP: dict[str, Any] = to_wire(
    RagToolResult(
        query=QUESTION,
        mode="hybrid",
        relevance_level=RelevanceLevel.MEDIUM,
        level_basis="ordinal",
        reason=GateReason.OK,
        message="evidence was found; the level rests on ranks alone",
        retry=RetryAdvice(
            should_retry=False, reason=GateReason.OK, hint="answer from the evidence"
        ),
        evidence=(
            EvidenceItem(
                number=1,
                citation=Citation(
                    ref="backups.md#L5",
                    uri="backups.md",
                    kind="line",
                    start=5,
                    end=5,
                    doc_id=DOC_ID,
                    chunk_id=CHUNK_ID,
                ),
                text=TEXT,
                truncated=False,
                title="Backups",
                heading_path=("Backups",),
                quality=1.0,
                rank=1,
                source="default",
                language="en",
                indexed_at="2026-01-31T00:00:00.000+00:00",
                stale=False,
                retrieval=RetrievalDetail(
                    method="hybrid",
                    fusion_score=1.0,
                    lexical_score=4.2,
                    vector_score=0.71,
                    lexical_rank=1,
                    vector_rank=1,
                ),
            ),
        ),
        context=f"[1] backups.md#L5 — Backups\n<evidence>\n{TEXT}</evidence>\n",
        budget=BudgetUse(limit=2_000, used=37, counter="estimate"),
        best_quality=1.0,
        filtered_count=0,
        dropped=(),
        channels={
            "lexical": ChannelOutcome(status="ok", count=1, took_ms=0.4),
            "vector": ChannelOutcome(status="ok", count=1, took_ms=0.6),
        },
        degraded=(),
        revision="r12",
        truncated=False,
        took_ms=6.1,
    )
)
REFUSED: dict[str, Any] = problem(
    InvalidArgumentError(
        "'k' must be a whole number from 1 to 200; got 0",
        given=0,
        allowed="a whole number from 1 to 200",
    ),
    request_id="4f1c2d7e9b0a4c55",
)
