"""``search_response.v1``: labelled hits, as a search gives them to its caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from rag.evidence.citation import cite
from rag.evidence.records import BudgetUse, ChannelOutcome, Citation, Drop
from rag.evidence.staleness import is_stale
from rag.ranking.fusion_policy import ChannelEntry
from rag.ranking.records import (
    Channel,
    Quality,
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
    SearchMode,
)
from rag.retrieval.records import SearchResponse
from rag.settings import SearchSettings
from rag.stores.records import ChannelReport, ChannelStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetText:
    """A verbatim part of the chunk; ``matches`` are character ranges (start, end) inside it."""

    text: str
    matches: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultHit:
    """One hit (``search_hit.v1``); what ``score`` means is said by ``score_kind``.

    ``quality`` is a ranking signal in [0, 1], not confidence.
    """

    schema_version: Literal["search_hit.v1"] = "search_hit.v1"
    rank: int
    score: float | None
    score_kind: ScoreKind
    score_label: ScoreLabel
    quality: float
    flags: tuple[str, ...]
    chunk_id: str
    doc_id: str
    doc_path: str
    title: str
    heading_path: tuple[str, ...]
    snippet: SnippetText | None
    citation: Citation
    retrieval: RetrievalDetail
    media: str
    language: str
    tags: tuple[str, ...]
    source: str
    source_type: str
    trust: str
    indexed_at: str
    stale: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionTrace:
    """The policy that made one ranking of several, with its own parameters.

    ``k`` is the constant of reciprocal ranks (``rrf``), null for ``minmax``, which has none.
    ``weights`` are those of the channels that it fused.
    """

    kind: Literal["rrf", "minmax"]
    k: int | None
    weights: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTrace:
    """Everything behind a page of hits.

    ``lexical`` and ``vector`` are the channels' whole rankings. ``fusion`` makes the fusion sum
    checkable by hand, and is null where one channel's ranking was passed on as it is. ``rrf_k``
    and ``weights`` are the settings, whether or not they took part. ``dropped`` is what a look-up
    would leave out of its evidence, and why.
    """

    lexical: tuple[ChannelEntry, ...]
    vector: tuple[ChannelEntry, ...]
    fusion: FusionTrace | None
    rrf_k: int
    weights: dict[str, float]
    dropped: tuple[Drop, ...]
    timing_ms: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A page of hits in rank order (``search_response.v1``).

    ``budget`` is there where one was asked for: it bounds ``hits`` as compact JSON. ``truncated``
    says that the budget shortened snippets or left out hits; ``next_cursor`` then continues at
    the first hit left out.
    """

    schema_version: Literal["search_response.v1"] = "search_response.v1"
    query: str
    mode: str
    k: int
    offset: int
    hits: tuple[ResultHit, ...]
    channels: dict[str, ChannelOutcome]
    degraded: tuple[str, ...]
    revision: str
    index_empty: bool
    fused_by: str
    ghosts: int
    took_ms: float
    next_cursor: str | None
    truncated: bool
    budget: BudgetUse | None
    trace: SearchTrace | None
    warnings: tuple[str, ...]


def result_hits(
    hits: Sequence[SearchHit], qualities: Sequence[Quality], now: datetime, stale_after_days: int
) -> tuple[ResultHit, ...]:
    """Return hits with one quality each as they go on the wire."""
    return tuple(
        _result_hit(hit, quality, is_stale(hit.chunk.indexed_at, now, stale_after_days))
        for hit, quality in zip(hits, qualities, strict=True)
    )


def search_result(
    response: SearchResponse, hits: tuple[ResultHit, ...], *, trace: SearchTrace | None = None
) -> SearchResult:
    """Return a response with its hits as they go on the wire."""
    return SearchResult(
        query=response.query,
        mode=str(response.mode),
        k=response.k,
        offset=response.offset,
        hits=hits,
        channels={str(name): _outcome(report) for name, report in response.channels.items()},
        degraded=tuple(map(str, response.degraded)),
        revision=response.revision,
        index_empty=response.index_empty,
        fused_by=response.fused_by,
        ghosts=response.ghosts,
        took_ms=response.took_ms,
        next_cursor=response.next_cursor,
        truncated=False,
        budget=None,
        trace=trace,
        warnings=response.warnings,
    )


def search_trace(
    response: SearchResponse,
    settings: SearchSettings,
    *,
    weights: dict[str, float],
    dropped: tuple[Drop, ...],
) -> SearchTrace:
    """Return everything behind a response that its hits do not show."""
    lexical, vector = (response.channels.get(channel) for channel in Channel)
    asked = {
        str(name): weights[str(name)]
        for name, report in response.channels.items()
        if report.status is ChannelStatus.OK and str(name) in weights
    }
    fused = response.mode is SearchMode.HYBRID and not response.degraded
    k = settings.rrf_k if settings.fusion == "rrf" else None
    return SearchTrace(
        lexical=lexical.ranking if lexical else (),
        vector=vector.ranking if vector else (),
        fusion=FusionTrace(kind=settings.fusion, k=k, weights=asked) if fused else None,
        rrf_k=settings.rrf_k,
        weights=asked,
        dropped=dropped,
        timing_ms={
            "embed": response.embed_ms,
            **{str(name): report.took_ms for name, report in response.channels.items()},
            "total": response.took_ms,
        },
    )


def _outcome(report: ChannelReport) -> ChannelOutcome:
    return ChannelOutcome(
        status=str(report.status),
        count=report.count,
        took_ms=report.took_ms,
        detail=report.detail,
    )


def _result_hit(hit: SearchHit, quality: Quality, stale: bool) -> ResultHit:
    chunk, snippet = hit.chunk, hit.snippet
    return ResultHit(
        rank=hit.rank,
        score=hit.score,
        score_kind=hit.score_kind,
        score_label=hit.score_label,
        quality=quality.value,
        flags=quality.flags,
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        doc_path=chunk.uri,
        title=chunk.title,
        heading_path=chunk.heading_path,
        snippet=SnippetText(text=snippet.text, matches=snippet.matches) if snippet else None,
        citation=cite(chunk),
        retrieval=hit.retrieval,
        media=str(chunk.media),
        language=chunk.language,
        tags=chunk.tags,
        source=chunk.source,
        source_type=chunk.source_type,
        trust=str(chunk.trust),
        indexed_at=chunk.indexed_at,
        stale=stale,
    )
