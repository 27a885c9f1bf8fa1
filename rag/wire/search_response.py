"""``search_response.v1``: labelled hits, as stores emit them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag.evidence.citation import cite
from rag.evidence.records import ChannelOutcome, Citation
from rag.ranking.records import RetrievalDetail, ScoreKind, ScoreLabel, SearchHit
from rag.retrieval.records import SearchResponse
from rag.stores.records import ChannelReport


@dataclass(frozen=True, slots=True, kw_only=True)
class WireSnippet:
    """A verbatim part of the chunk; ``matches`` are character ranges (start, end) inside it."""

    text: str
    matches: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WireHit:
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
    snippet: WireSnippet | None
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
class WireChannelEntry:
    """One candidate of one channel, or of the fusion, in a trace."""

    chunk_id: str
    rank: int
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTrace:
    """What each channel returned in full, and how long each step took in milliseconds."""

    lexical: tuple[WireChannelEntry, ...]
    vector: tuple[WireChannelEntry, ...]
    timing_ms: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class WireSearchResponse:
    """A page of hits (``search_response.v1``)."""

    schema_version: Literal["search_response.v1"] = "search_response.v1"
    query: str
    mode: str
    k: int
    offset: int
    hits: tuple[WireHit, ...]
    channels: dict[str, ChannelOutcome]
    degraded: tuple[str, ...]
    revision: str
    fused_by: str
    ghosts: int
    took_ms: float
    next_cursor: str | None
    trace: SearchTrace | None
    warnings: tuple[str, ...]


def wire_hit(hit: SearchHit, *, quality: float, flags: tuple[str, ...], stale: bool) -> WireHit:
    """Return one hit as it goes on the wire."""
    chunk = hit.chunk
    snippet = hit.snippet
    return WireHit(
        rank=hit.rank,
        score=hit.score,
        score_kind=hit.score_kind,
        score_label=hit.score_label,
        quality=quality,
        flags=flags,
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        doc_path=chunk.uri,
        title=chunk.title,
        heading_path=chunk.heading_path,
        snippet=WireSnippet(text=snippet.text, matches=snippet.matches) if snippet else None,
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


def channel_outcomes(response: SearchResponse) -> dict[str, ChannelOutcome]:
    """Return what each channel did, by its name, without the candidates."""
    return {
        str(name): ChannelOutcome(
            status=str(report.status),
            count=report.count,
            took_ms=report.took_ms,
            detail=report.detail,
        )
        for name, report in response.channels.items()
    }


def channel_trace(report: ChannelReport | None) -> tuple[WireChannelEntry, ...]:
    """Return every candidate of one channel; nothing for a channel that was not asked."""
    if report is None:
        return ()
    return tuple(
        WireChannelEntry(chunk_id=entry.chunk_id, rank=entry.rank, score=entry.score)
        for entry in report.ranking
    )
