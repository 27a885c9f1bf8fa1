"""``error.v1``: an error as it goes on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag.errors import RagError


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorObject:
    """An error (``error.v1``): a stable code, what was given, what is allowed, what to do."""

    schema_version: Literal["error.v1"] = "error.v1"
    code: str
    message: str
    given: str | None
    allowed: str | None
    hint: str | None
    details: dict[str, object]


def error_object(error: RagError) -> ErrorObject:
    """Return an error as its wire object."""
    return ErrorObject(**error.to_wire())
