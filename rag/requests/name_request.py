"""What a caller may name a stored document or chunk by."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from rag.requests.request import Request, parse_as
from rag.requests.request_fields import MAX_NAME_CHARS


class NameRequest(Request):
    """One document or chunk, named."""

    called: ClassVar[str] = "a name"

    name: str = Field(
        min_length=1,
        max_length=MAX_NAME_CHARS,
        description="A doc_id or path for a document, a chunk_id for a chunk.",
    )


def checked_name(given: object) -> str:
    """Return a name as it was given; InvalidArgumentError where it is none."""
    return parse_as(NameRequest, {"name": given}).name
