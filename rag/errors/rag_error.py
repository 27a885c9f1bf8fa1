"""What every error of this package has: a code, words for a person, an object for a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

SCHEMA_VERSION = "error.v1"


class RagError(Exception):
    """Base of every error of this package.

    ``usual_allowed`` and ``usual_hint`` are what an error of the class says where it was not
    told anything more particular, so that none leaves its reader without both.

    Args:
        message: One sentence for a person: what was wrong, what was given.
        given: The offending value, as the caller wrote it (never a secret).
        allowed: What would have been accepted, in words.
        hint: What to do next, in words.
        details: Further facts for a program; JSON values only.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2
    usual_allowed: ClassVar[str] = "what this program is made for"
    usual_hint: ClassVar[str] = "correct what the message names and try again"

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
        self.allowed = allowed or self.usual_allowed
        self.hint = hint or self.usual_hint
        self.details: dict[str, Any] = dict(details or {})

    def to_wire(self) -> dict[str, Any]:
        """Return the ``error.v1`` object."""
        return {
            "schema_version": SCHEMA_VERSION,
            "code": self.code,
            "message": self.message,
            "given": None if self.given is None else in_words(self.given, str),
            "allowed": self.allowed,
            "hint": self.hint,
            "details": self.details,
        }


def in_words(value: object, said: Callable[[object], str] = repr, *, limit: int = 200) -> str:
    """Return a value as text of at most ``limit`` characters, whatever it is.

    What cannot be said is named by its type: a number of more digits than Python writes, a
    list that holds itself many times over, an object that raises where it should say what it is.
    """
    try:
        text = said(value)
    except Exception:  # noqa: BLE001  # any error may come out of somebody else's object
        if isinstance(value, int):
            return "a number too long to show"
        return f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= limit else text[: limit - 1] + "…"
