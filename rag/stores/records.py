"""What goes into a store and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rag.embedding.protocol import EmbedderIdentity
from rag.ingest.records import Chunk, Document
from rag.ranking.fusion_policy import ChannelEntry
from rag.ranking.records import Channel, SearchHit, SearchMode
from rag.stores.filters import SearchFilter


class ChannelStatus(StrEnum):
    """What became of one channel of a search.

    ``ok``: it was asked and answered (``count`` may be 0).
    ``off``: the mode does not use it, or there is no embedder.
    ``no_terms``: the query has no searchable word, so the lexical channel was not asked.
    ``not_covered``: the embedder does not read the query's script, so it was not asked.
    ``error`` and ``timeout``: it was asked and failed.
    """

    OK = "ok"
    OFF = "off"
    NO_TERMS = "no_terms"
    NOT_COVERED = "not_covered"
    ERROR = "error"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerm:
    """One analysed word of a query: in how many chunks of the corpus it stands, and its idf."""

    term: str
    document_frequency: int
    idf: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TermReport:
    """What the words of a query weigh in the corpus, and which of them the best hits hold.

    ``total`` is the number of chunks that frequencies are counted in. ``saturation`` is what a
    word's idf is multiplied by where it stands often (k1 + 1 of BM25), so that no score exceeds
    Σ idf · saturation. Bit j of ``holds[r - 1]`` says whether the hit on rank r holds
    ``terms[j]``; ``holds`` covers the first ranks only, at most 64. A query of more than 128
    words is described by its first 128.
    """

    total: int
    saturation: float
    terms: tuple[QueryTerm, ...]
    holds: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelReport:
    """What one channel did for one search; ``ranking`` holds every candidate it returned.

    ``terms`` is told by lexical channels that know their document frequencies, else None.
    """

    channel: Channel
    status: ChannelStatus
    count: int = 0
    took_ms: float = 0.0
    detail: str | None = None
    error_code: str | None = None
    ranking: tuple[ChannelEntry, ...] = ()
    terms: TermReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoreQuery:
    """One search as a store sees it.

    ``vector`` is the unit query vector, shape ``(dimensions,)``, float32, or None where the
    vector channel is not to be asked; ``vector_status`` then says why.
    ``candidates`` is the depth of each channel's ranking and does not follow ``k``.
    ``offset`` hits are passed over first; ranks stay global.
    """

    text: str
    mode: SearchMode = SearchMode.HYBRID
    k: int = 10
    offset: int = 0
    vector: NDArray[np.float32] | None = None
    vector_status: ChannelStatus = ChannelStatus.OK
    filters: SearchFilter = field(default_factory=SearchFilter)
    candidates: int = 200
    snippet_chars: int = 240
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreResponse:
    """A store's answer: labelled hits in rank order, and what each channel did.

    ``total`` is the number of ranked chunks the hits were cut from, after filters.
    ``ghosts`` counts hits that were dropped because their chunk is gone or of an older
    generation.
    """

    hits: tuple[SearchHit, ...]
    channels: Mapping[Channel, ChannelReport]
    total: int
    revision: str
    ghosts: int = 0
    fused_by: Literal["client", "server"] = "client"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an index was built with; checked at every open."""

    schema_version: int
    analyzer: str
    embedder: EmbedderIdentity | None
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DocumentWrite:
    """A whole document to store: it replaces every earlier generation of itself.

    ``vectors`` maps a chunk id to its unit vector; a chunk without one is lexical only.
    """

    document: Document
    chunks: Sequence[Chunk]
    vectors: Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """How much a store holds, and in what words to name it."""

    backend: str
    uri: str
    documents: int
    chunks: int
    chunks_with_vector: int
    revision: str
    manifest: Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """One line of a health report; ``hint`` says what to do where ``ok`` is False."""

    name: str
    ok: bool
    detail: str
    hint: str | None = None
