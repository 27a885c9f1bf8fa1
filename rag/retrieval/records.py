"""What goes into the search service and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rag.ranking.records import Channel, SearchHit, SearchMode
from rag.stores.filters import SearchFilter
from rag.stores.records import ChannelReport

MAX_QUERY_CHARS = 4_000
MAX_K = 200
MAX_TOKENS = 1_000_000  # of any budget: as much as the largest context of a model holds


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A question to the search service; ``None`` takes the setting's default.

    ``k`` is in 1..200. ``mode`` is a mode's name or its alias ``dense``. ``cursor`` continues an
    earlier answer to the same query. ``deadline_s`` bounds the whole search.
    """

    text: str
    mode: str | None = None
    k: int | None = None
    filters: SearchFilter = field(default_factory=SearchFilter)
    cursor: str | None = None
    snippet_chars: int | None = None
    deadline_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResponse:
    """Hits in rank order with what every channel did.

    ``offset`` hits came on earlier pages, so the ranks here are offset+1, offset+2, …
    ``degraded`` names the channels that failed; the hits then carry the labels of what answered.
    ``next_cursor`` is None on the last page.
    """

    query: str
    mode: SearchMode
    k: int
    offset: int
    hits: tuple[SearchHit, ...]
    channels: Mapping[Channel, ChannelReport]
    degraded: tuple[Channel, ...]
    revision: str
    index_empty: bool
    next_cursor: str | None = None
    took_ms: float = 0.0
    embed_ms: float = 0.0
    ghosts: int = 0
    fused_by: Literal["client", "server"] = "client"
    warnings: tuple[str, ...] = ()
