"""What the evidence room takes and gives: qualities in, cited evidence and a verdict out."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from rag.answerability import AnswerabilitySignal
from rag.ingest.records import SpanKind
from rag.ranking.records import RetrievalDetail, StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedChunk:
    """A chunk with its rank (from 1) and quality in [0, 1]; how it was scored is not known here.

    ``flags`` may hold ``nonfinite_score``. ``retrieval`` is carried through, never read.
    """

    chunk: StoredChunk
    rank: int
    quality: float
    flags: tuple[str, ...] = ()
    retrieval: RetrievalDetail | None = None


class DropReason(StrEnum):
    """Why a chunk is not among the evidence."""

    BELOW_QUALITY = "below_quality"
    DUPLICATE_OF = "duplicate_of"
    NEAR_DUPLICATE_OF = "near_duplicate_of"
    PER_DOCUMENT_CAP = "per_document_cap"
    OVER_BUDGET = "over_budget"
    ALREADY_PACKED = "already_packed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """One chunk that was left out, and why; ``of`` is the chunk id it doubles, where it does."""

    chunk_id: str
    uri: str
    rank: int
    quality: float
    reason: DropReason
    of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where a piece of evidence stands: ``uri`` is the path, ``ref`` the path with its fragment.

    Kind ``document`` cites the document alone, with ``start`` and ``end`` 1: evidence of somebody
    else's retriever may not say where in it its text stands.
    """

    ref: str
    uri: str
    kind: SpanKind
    start: int
    end: int
    doc_id: str
    chunk_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A chunk that survived post-processing.

    ``also_in`` cites where exactly the same text stands too, as far as this answer found it.
    """

    rated: RatedChunk
    also_in: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessedEvidence:
    """Evidence in rank order, everything that was dropped on the way, and the floor that held.

    ``floor`` is the quality below which nothing was kept; None where there was none.
    """

    evidence: tuple[Evidence, ...]
    dropped: tuple[Drop, ...] = ()
    floor: float | None = None


class RelevanceLevel(StrEnum):
    """How well the evidence fits the question, as far as ``level_basis`` can tell."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


LevelBasis = Literal["ordinal", "similarity", "calibrated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Which look-up of one question this is.

    ``number`` counts from 1. ``returned`` chunks were given, ``new`` of them for the first time
    in these attempts. ``left`` look-ups remain before the advice is to stop.
    """

    number: int
    returned: int
    new: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFacts:
    """What the gate needs to know of a search besides its evidence.

    ``index_empty`` is None where nobody knows.
    ``filters`` names the filter keys that were set, ``failed`` the channels that failed.
    ``word_found`` is False where the lexical channel was asked and found no word of the query.
    ``unmatched_words`` are words of the query that occur nowhere in what was searched, None where
    nobody looked. ``answerability`` is what a calibrated profile says, None where none holds;
    ``covers`` then names what the base is mostly about, where the question is off its topic.
    """

    basis: LevelBasis
    index_empty: bool | None = False
    filters: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    word_found: bool = True
    unmatched_words: tuple[str, ...] | None = None
    attempt: Attempt | None = None
    answerability: AnswerabilitySignal | None = None
    covers: tuple[str, ...] = ()


class GateReason(StrEnum):
    """Why the gate decided as it did."""

    OK = "ok"
    WEAK = "weak"
    EMPTY_INDEX = "empty_index"
    NO_MATCH = "no_match"
    FILTERED_OUT = "filtered_out"
    BELOW_THRESHOLD = "below_threshold"
    CHANNEL_ERROR = "channel_error"
    NO_NEW_EVIDENCE = "no_new_evidence"
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    OFF_TOPIC = "off_topic"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryAdvice:
    """Whether asking again can help, and with what.

    ``unmatched_words`` are words of the query that occur nowhere in what was searched: the index,
    or the part of it that the filters let through.
    ``attempts_left`` counts the look-ups that may still help; None where attempts are not counted.
    """

    should_retry: bool
    reason: GateReason
    hint: str
    unmatched_words: tuple[str, ...] = ()
    attempts_left: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceDecision:
    """The gate's verdict; ``best_quality`` is None where nothing was found.

    ``answerability`` is what a calibrated profile said, whether or not the level comes from it.
    """

    level: RelevanceLevel
    basis: LevelBasis
    reason: GateReason
    message: str
    retry: RetryAdvice
    best_quality: float | None = None
    filtered_count: int = 0
    answerability: AnswerabilitySignal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceItem:
    """One piece of evidence as an agent sees it.

    ``flags`` may hold ``nonfinite_score`` and, in a batch, ``already_packed``: the text stands
    under the same ``number`` with another question, and is empty here.
    """

    number: int
    citation: Citation
    text: str
    truncated: bool
    title: str
    heading_path: tuple[str, ...]
    quality: float
    rank: int
    source: str
    language: str
    indexed_at: str
    stale: bool
    retrieval: RetrievalDetail | None
    also_in: tuple[Citation, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetUse:
    """The token budget of a result: its limit, what the context block takes, and who counted."""

    limit: int
    used: int
    counter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelOutcome:
    """One channel of the search behind a result."""

    status: str
    count: int
    took_ms: float
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RagToolResult:
    """What ``lookup_knowledge`` returns (``rag_tool_result.v1``).

    A quality is a ranking signal, not confidence: with ``level_basis`` ``ordinal`` it says only
    where the piece stood in this answer, with ``similarity`` it is a cosine clamped to [0, 1].
    For absolute thresholds read ``retrieval.vector_score`` and ``retrieval.lexical_score``, or
    ``answerability``: with ``level_basis`` ``calibrated`` it holds ``probability`` (that the base
    answers the question), ``on_topic`` (that it covers it at all), the ``profile`` that says so,
    and its ``basis``, the signals it was computed from.

    ``dropped`` lists the best ranked of the hits that are not among the evidence, at most 20;
    ``dropped_not_listed`` is the number of the others, and ``dropped_by_reason`` counts all.
    """

    schema_version: Literal["rag_tool_result.v1"] = "rag_tool_result.v1"
    query: str
    mode: str
    relevance_level: RelevanceLevel
    level_basis: LevelBasis
    reason: GateReason
    message: str
    retry: RetryAdvice
    evidence: tuple[EvidenceItem, ...]
    context: str
    budget: BudgetUse
    best_quality: float | None
    filtered_count: int
    dropped: tuple[Drop, ...]
    channels: dict[str, ChannelOutcome]
    degraded: tuple[str, ...]
    revision: str
    truncated: bool
    next_cursor: str | None = None
    answerability: dict[str, Any] | None = None
    took_ms: float = 0.0
    warnings: tuple[str, ...] = field(default=())
    dropped_by_reason: dict[str, int] = field(default_factory=dict)
    dropped_not_listed: int = 0
