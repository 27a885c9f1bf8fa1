"""What a caller may ask of the list of documents."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from rag.requests.request import Request
from rag.requests.request_fields import Filters
from rag.stores.filters import SearchFilter

MAX_LISTED = 10_000  # documents per page: some five megabytes
MAX_OFFSET = 100_000_000


class ListRequest(Request):
    """A part of the list of documents; without a limit, all that are left."""

    called: ClassVar[str] = "a list"

    limit: int | None = Field(
        default=None, ge=0, le=MAX_LISTED, description="Documents to list at most."
    )
    offset: int = Field(default=0, ge=0, le=MAX_OFFSET, description="Documents to pass over.")
    filters: Filters = Field(default_factory=SearchFilter)
