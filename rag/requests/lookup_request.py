"""What a caller may ask of the look-up tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from rag.requests.request import Request, parse_as
from rag.requests.request_fields import (
    Deadline,
    Filters,
    HitCount,
    Mode,
    NextCursor,
    Query,
    TokenBudget,
)
from rag.retrieval.query_check import checked_text
from rag.stores.filters import SearchFilter

MAX_SEEN = 10_000

EvidenceCount = Annotated[HitCount, Field(description="How many hits to make evidence of.")]

ContextBudget = Annotated[
    TokenBudget,
    Field(description="Tokens that the context block may take; 0 returns the verdict alone."),
]

QualityFloor = Annotated[
    float | None,
    Field(
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Leave out evidence below this quality; in hybrid and lexical mode that is a "
        "share of the ranking, not a measure of fit.",
    ),
]

Session = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=200,
        description="Names the conversation, so that look-ups which lead nowhere new are noticed.",
    ),
]

AttemptNumber = Annotated[
    int | None,
    Field(
        ge=1,
        le=1_000,
        description="Which look-up of this question this is, from 1, for a caller that counts "
        "itself; takes the place of session_id.",
    ),
]

SeenChunks = Annotated[
    tuple[str, ...],
    Field(
        max_length=MAX_SEEN,
        strict=False,
        description="Chunk ids that earlier attempts gave, with attempt.",
    ),
]


class LookupRequest(Request):
    """One call of ``lookup_knowledge``; None takes the setting's default."""

    called: ClassVar[str] = "a look-up"

    query: Query = Field(description="The question, in the words that the documents would use.")
    k: EvidenceCount = None
    mode: Mode = None
    filters: Filters = Field(default_factory=SearchFilter)
    budget_tokens: ContextBudget = None
    min_quality: QualityFloor = None
    cursor: NextCursor = None
    session_id: Session = None
    attempt: AttemptNumber = None
    seen_chunk_ids: SeenChunks = ()
    deadline_s: Deadline = None

    def check(self) -> None:
        checked_text(self.query)


def parse_request(
    given: LookupRequest | str | Mapping[str, Any], options: Mapping[str, Any] | None = None
) -> LookupRequest:
    """Return the look-up that a question, an object or a request describes; see ``parse_as``."""
    return parse_as(LookupRequest, given, options)
