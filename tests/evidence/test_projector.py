"""What an agent sees: numbers, citations and facts that survive JSON."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from datetime import UTC, datetime

import pytest

from rag.evidence import (
    EvidencePacker,
    EvidencePostProcessor,
    EvidenceProjector,
    RagToolResult,
    RelevanceGate,
    cite,
    is_stale,
    rate_hits,
)
from rag.evidence.records import EvidenceItem
from rag.ranking import RetrievalScoreNormalizer
from rag.ranking.records import (
    Channel,
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
    SearchMode,
    StoredChunk,
)
from rag.retrieval.records import SearchResponse
from rag.settings import EvidenceSettings, GateSettings
from rag.stores.filters import SearchFilter
from rag.stores.records import ChannelReport, ChannelStatus
from rag.text import EstimatingTokenCounter
from rag.tool.search_facts import search_facts
from rag.wire import to_json
from tests.evidence.evidence_samples import chunk

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def hit(stored: StoredChunk, rank: int, score: float | None) -> SearchHit:
    return SearchHit(
        chunk=stored,
        rank=rank,
        score=score,
        score_label=ScoreLabel.DENSE,
        score_kind=ScoreKind.COSINE,
        retrieval=RetrievalDetail(method="vector", vector_score=score, vector_rank=rank),
    )


def project(hits: list[SearchHit], *, floor: float | None = None, **options: int) -> RagToolResult:
    response = SearchResponse(
        query="q",
        mode=SearchMode.VECTOR,
        k=10,
        offset=0,
        hits=tuple(hits),
        channels={
            channel: ChannelReport(channel=channel, status=ChannelStatus.OK, count=len(hits))
            for channel in Channel
        },
        degraded=(),
        revision="r1",
        index_empty=False,
        warnings=("said by the search",),
    )
    qualities = RetrievalScoreNormalizer().to_quality_scores(hits)
    processed = EvidencePostProcessor(EvidenceSettings()).process(
        rate_hits(hits, qualities), min_quality=floor
    )
    packed = EvidencePacker(EstimatingTokenCounter()).pack(processed.evidence, 1_000)
    decision = RelevanceGate(GateSettings()).decide(
        processed, search_facts(response, SearchFilter())
    )
    projector = EvidenceProjector(now=lambda: NOW, **options)
    return projector.project(
        packed, decision, response, dropped=processed.dropped, warnings=["said by the tool"]
    )


@pytest.mark.scenario("evidence", "Five hits of which two are dropped")
def test_citations_are_numbered_from_what_was_packed():
    """Case citation-numbers: #2 is a duplicate and #4 below the floor."""
    texts = ["one", "one", "three", "four", "five"]
    cosines = [0.9, 0.8, 0.7, 0.1, 0.6]
    hits = [
        hit(chunk(f"c{at}", text), at, score)
        for at, (text, score) in enumerate(zip(texts, cosines, strict=True), start=1)
    ]
    result = project(hits, floor=0.5)
    numbered = [(item.number, item.citation.chunk_id) for item in result.evidence]
    assert numbered == [(1, "c1"), (2, "c3"), (3, "c5")]
    assert [(d.chunk_id, str(d.reason)) for d in result.dropped] == [
        ("c2", "duplicate_of"),
        ("c4", "below_quality"),
    ]
    for item in result.evidence:
        assert f"[{item.number}] {item.citation.ref}" in result.context


@pytest.mark.scenario("evidence", "Scores that are not numbers")
def test_scores_that_are_not_numbers_leave_valid_json_and_the_order():
    """Case nonfinite."""
    scores = [math.nan, math.inf, -math.inf, None, 0.4]
    result = project([hit(chunk(f"c{at}", f"t{at}"), at, s) for at, s in enumerate(scores, 1)])
    assert [item.citation.chunk_id for item in result.evidence] == ["c1", "c2", "c3", "c4", "c5"]
    assert [item.quality for item in result.evidence] == [0.0, 0.0, 0.0, 0.0, 0.4]
    assert [item.flags for item in result.evidence[:3]] == [("nonfinite_score",)] * 3

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is not JSON")

    wire = json.loads(to_json(result), parse_constant=refuse)
    assert [item["retrieval"]["vector_score"] for item in wire["evidence"]] == [None] * 4 + [0.4]


def test_the_main_contract_has_no_label():
    names = {field.name for record in (RagToolResult, EvidenceItem) for field in fields(record)}
    assert not {name for name in names if "label" in name or "kind" in name}


def test_facts_of_the_search_are_carried_through():
    result = project([hit(chunk("c", "text"), 1, 0.7)])
    assert (result.query, result.mode, result.revision) == ("q", "vector", "r1")
    assert result.channels["lexical"].status == "ok"
    assert result.warnings == ("said by the search", "said by the tool")
    assert (result.budget.limit, result.budget.counter) == (1_000, "estimate")
    assert result.budget.used == EstimatingTokenCounter().count(result.context)
    assert not result.truncated


def test_a_result_is_truncated_where_the_budget_left_something_out():
    hits = [hit(chunk(f"c{at}", f"{at} sentence. " * 200), at, 0.9) for at in range(1, 4)]
    assert project(hits).truncated


@pytest.mark.scenario("evidence", "Indexed thirty-one days ago")
@pytest.mark.parametrize(
    ("indexed_at", "days", "stale"),
    [
        ("2026-01-29T00:00:00+00:00", 30, True),
        ("2026-01-30T00:00:00+00:00", 30, False),
        ("2026-01-29T00:00:00+00:00", 0, False),
        ("2026-01-30T00:00:00", 30, False),
        ("2026-01-30T08:00:00+09:00", 30, True),
        ("last week", 30, True),
        ("last week", 0, False),
    ],
)
def test_evidence_is_stale_after_the_days_of_the_setting(indexed_at, days, stale):
    stored = chunk("c", "text", indexed_at=indexed_at)
    (item,) = project([hit(stored, 1, 0.9)], stale_after_days=days).evidence
    assert item.stale is stale is is_stale(indexed_at, NOW, days)


def test_a_citation_holds_path_span_and_ids():
    cited = cite(chunk("c", "x", doc="d", uri="a.md", lines=(2, 5)))
    assert (cited.ref, cited.uri, cited.kind) == ("a.md#L2-L5", "a.md", "line")
    assert (cited.start, cited.end, cited.doc_id, cited.chunk_id) == (2, 5, "d", "c")
