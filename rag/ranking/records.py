"""Hits as stores emit them: labelled, ranked, with the raw score of every channel."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from rag.ingest.records import Media, Span, Trust
from rag.text import Snippet


class SearchMode(StrEnum):
    """Which channels a search asks. ``dense`` is accepted as an alias of ``vector`` on input."""

    HYBRID = "hybrid"
    VECTOR = "vector"
    LEXICAL = "lexical"


class Channel(StrEnum):
    """One ranking that a hybrid search fuses."""

    LEXICAL = "lexical"
    VECTOR = "vector"


class ScoreLabel(StrEnum):
    """How a hit's score becomes a quality; there are these two and no third."""

    DENSE = "dense"
    HYBRID = "hybrid"


class ScoreKind(StrEnum):
    """What a hit's ``score`` is.

    ``rrf``: reciprocal rank fusion sum divided by its maximum, in [0, 1].
    ``cosine``: raw cosine, in [-1, 1].
    ``bm25``: raw BM25, at least 0, unbounded.
    ``minmax``: weighted mean of both channels' scores, each list stretched to [0, 1]; in [0, 1].
    """

    RRF = "rrf"
    COSINE = "cosine"
    BM25 = "bm25"
    MINMAX = "minmax"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk with the document facts that a citation and a filter need."""

    chunk_id: str
    doc_id: str
    ordinal: int
    text: str
    heading_path: tuple[str, ...]
    span: Span
    uri: str
    title: str
    media: Media
    language: str
    tags: tuple[str, ...]
    source: str
    source_type: str
    trust: Trust
    tenant: str
    content_hash: str
    indexed_at: str
    generation: int

    def citation_uri(self) -> str:
        """Return ``uri`` with the fragment of its span: ``guide/a.md#L7-L12``, ``b.pdf#p=3``."""
        return self.span.cited_in(self.uri)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalDetail:
    """What each channel said of one chunk, raw; None where it did not return the chunk.

    Ranks count from 1. ``lexical_score`` is BM25 (at least 0), ``vector_score`` a cosine in
    [-1, 1], ``fusion_score`` the normalised fusion sum in [0, 1] (None outside a fusion).
    """

    method: Literal["hybrid", "vector", "lexical"]
    fusion_score: float | None = None
    lexical_score: float | None = None
    vector_score: float | None = None
    lexical_rank: int | None = None
    vector_rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One chunk of a result: its rank (from 1), its raw score, and what kind of score that is."""

    chunk: StoredChunk
    rank: int
    score: float | None
    score_label: ScoreLabel
    score_kind: ScoreKind
    retrieval: RetrievalDetail
    snippet: Snippet | None = None


NONFINITE_SCORE = "nonfinite_score"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """A hit's quality in [0, 1], always finite: a ranking signal, not confidence.

    ``flags`` holds ``nonfinite_score`` where the score was unusable and the value is 0.0 for it.
    """

    value: float
    flags: tuple[str, ...] = ()
