"""Settings of what is answered: search, evidence, verdict."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from rag.settings.section import Section


class SearchSettings(Section):
    """Defaults of a search."""

    mode: Literal["hybrid", "vector", "lexical"] = Field(
        default="hybrid",
        description="hybrid asks both channels and fuses; vector and lexical ask one.",
    )
    k: int = Field(default=10, ge=1, le=200, description="Hits per page.")
    candidates: int = Field(
        default=200,
        ge=200,
        le=2_000,
        description="Depth of each channel's ranking; does not follow k, so that a larger k only appends.",
    )
    fusion: Literal["rrf", "minmax"] = Field(
        default="rrf",
        description="How both channels become one ranking: by ranks (rrf), or by scores stretched to [0, 1] (minmax).",
    )
    rrf_k: int = Field(
        default=60,
        ge=1,
        le=10_000,
        description="The constant of reciprocal rank fusion; where no fusion setting is given, an answerability profile's choice holds.",
    )
    lexical_weight: float = Field(
        default=1.0, gt=0, description="Weight of the lexical channel in a fusion."
    )
    vector_weight: float | None = Field(
        default=None, gt=0, description="Weight of the vector channel; default: the embedder's own."
    )
    bm25_k1: float = Field(default=1.2, ge=0, le=10, description="BM25 term saturation.")
    bm25_b: float = Field(default=0.75, ge=0, le=1, description="BM25 length normalisation.")
    deadline_s: float = Field(
        default=10.0, gt=0, description="How long one search may take, in seconds."
    )
    snippet_chars: int = Field(
        default=240, ge=20, le=4_000, description="Longest snippet, in characters."
    )
    stale_after_days: int = Field(
        default=0, ge=0, description="Evidence indexed longer ago is marked stale; 0 never."
    )


class EvidenceSettings(Section):
    """How hits become evidence."""

    min_quality: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Floor on quality; 0.0 is a real floor, leaving it out means none.",
    )
    near_duplicate: float = Field(
        default=0.9,
        gt=0,
        le=1,
        description="Share of a chunk's words found in one better ranked chunk from which it is a near duplicate.",
    )
    window_overlap: float = Field(
        default=0.4,
        gt=0,
        le=1,
        description="Share of a chunk's text that overlaps a better ranked chunk of the same document from which it is a near duplicate.",
    )
    per_document: int = Field(
        default=0, ge=0, description="Most chunks of one document; 0 means no cap."
    )
    budget_tokens: int = Field(
        default=2_000, ge=0, le=1_000_000, description="Tokens that the context block may take."
    )
    token_counter: str = Field(
        default="estimate", description="estimate, o200k, cl100k, or the path of a tokenizer.json."
    )


class GateSettings(Section):
    """When evidence counts as high, medium or low, and when a retry is advised."""

    high: float = Field(
        default=0.6, ge=0, le=1, description="Best quality from which the level is high."
    )
    medium: float = Field(
        default=0.4, ge=0, le=1, description="Best quality from which the level is medium."
    )
    low: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="Best quality from which the level is low; below it, none.",
    )
    ordinal_ceiling: Literal["high", "medium", "low"] = Field(
        default="medium",
        description="Best level that ranks alone can earn: a rank says which piece came first, not that any fits.",
    )
    max_attempts: int = Field(
        default=3,
        ge=1,
        le=20,
        description="Look-ups for one question before the advice is to stop.",
    )

    @model_validator(mode="after")
    def _ordered(self) -> GateSettings:
        if not self.low <= self.medium <= self.high:
            raise ValueError("thresholds must satisfy low <= medium <= high")
        return self


class AnswerabilitySettings(Section):
    """What says whether a base answers a question at all."""

    profile: str = Field(
        default="auto",
        min_length=1,
        description="auto takes the base's own profile (rag calibrate) or the one shipped for its embedder; none; or a profile's path.",
    )
