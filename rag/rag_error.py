"""What every error of this package has: a code, words for a person, an object for a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

SCHEMA_VERSION = "error.v1"


class RagError(Exception):
    """Base of every error of this package.

    Args:
        message: One sentence for a person: what was wrong, what was given.
        given: The offending value, as the caller wrote it (never a secret).
        allowed: What would have been accepted, in words.
        hint: What to do next, in words.
        details: Further facts for a program; JSON values only.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        message: str,
        *,
        given: Any = None,
        allowed: str | None = None,
        hint: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.given = given
        self.allowed = allowed
        self.hint = hint
        self.details: dict[str, Any] = dict(details or {})

    def to_wire(self) -> dict[str, Any]:
        """Return the ``error.v1`` object."""
        return {
            "schema_version": SCHEMA_VERSION,
            "code": self.code,
            "message": self.message,
            "given": None if self.given is None else _shortened(str(self.given)),
            "allowed": self.allowed,
            "hint": self.hint,
            "details": self.details,
        }


def _shortened(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
