"""What a caller may ask of a search."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from rag.requests.request import Request
from rag.requests.request_fields import (
    Deadline,
    Filters,
    HitCount,
    Mode,
    NextCursor,
    Query,
    TokenBudget,
)
from rag.retrieval.query_check import SNIPPET_CHARS, checked_text
from rag.stores.filters import SearchFilter


class SearchRequest(Request):
    """One search; None takes the setting's default."""

    called: ClassVar[str] = "a search"

    query: Query = Field(description="Words or a question.")
    mode: Mode = None
    k: HitCount = Field(default=None, description="Hits per page.")
    filters: Filters = Field(default_factory=SearchFilter)
    cursor: NextCursor = None
    snippet_chars: int | None = Field(
        default=None,
        ge=SNIPPET_CHARS[0],
        le=SNIPPET_CHARS[-1],
        description="Longest snippet, in characters.",
    )
    max_tokens: TokenBudget = Field(
        default=None,
        description="Tokens that the hits may take as JSON: snippets get shorter, then hits go to "
        "the next page.",
    )
    trace: bool = Field(
        default=False,
        description="Add the channels' whole rankings, the fusion, and what a look-up would drop.",
    )
    deadline_s: Deadline = None

    def check(self) -> None:
        checked_text(self.query)
