"""What a caller may say of a reset."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from rag.requests.request import Request
from rag.requests.request_fields import MAX_NAME_CHARS


class ResetRequest(Request):
    """All documents, or those of one source, to be removed."""

    called: ClassVar[str] = "a reset"

    source: str | None = Field(
        default=None, max_length=MAX_NAME_CHARS, description="Whose documents; all without one."
    )
    confirm: bool = Field(default=False, description="Says that it is meant.")
