"""What a search accepts, decided before any model or store is asked."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

from rag.errors import EmptyQueryError, InvalidArgumentError, QueryTooLongError
from rag.errors.rag_error import in_words
from rag.ranking.records import SearchMode
from rag.retrieval.records import MAX_K, MAX_QUERY_CHARS
from rag.text import clean_text

MODE_ALIASES = {"dense": SearchMode.VECTOR}
SNIPPET_CHARS = range(20, 4_001)

# Control, format (zero-width and direction marks), surrogate and all kinds of space: a text of
# these alone shows nothing. The others are letters and symbols that are drawn blank.
_BLANK_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")


def checked_text(text: Any) -> str:
    """Return the query with NUL and lone surrogates replaced, which no engine can take.

    Raises:
        InvalidArgumentError: it is no string.
        EmptyQueryError: it has no visible character.
        QueryTooLongError: it has more than 4,000 characters.
    """
    if not isinstance(text, str):
        raise InvalidArgumentError(
            f"the query must be a string; got {type(text).__name__}",
            given=text,
            allowed="a string",
        )
    if len(text) > MAX_QUERY_CHARS and not text.isspace():
        raise QueryTooLongError(
            f"the query has {len(text):,} characters; at most {MAX_QUERY_CHARS:,} are allowed",
            given=len(text),
            allowed=f"at most {MAX_QUERY_CHARS:,} characters",
            hint="ask a shorter question; pass a document's key sentences, not its whole text",
        )
    if _is_blank(text):
        raise EmptyQueryError(
            "the query is empty" if not text else "the query has no visible character",
            given=text,
            allowed=f"1 to {MAX_QUERY_CHARS:,} characters, at least one of them visible",
            hint="say what to look for",
        )
    return clean_text(text)


def _is_blank(text: str) -> bool:
    return all(
        unicodedata.category(char) in _BLANK_CATEGORIES or char in _BLANK_LETTERS for char in text
    )


def checked_mode(mode: Any) -> SearchMode:
    """Return the mode of that name or alias; raises InvalidArgumentError."""
    allowed = ", ".join([*SearchMode, *MODE_ALIASES])
    try:
        return MODE_ALIASES.get(mode) or SearchMode(mode)
    except (ValueError, TypeError):
        raise InvalidArgumentError(
            f"unknown search mode {in_words(mode, limit=80)}; expected one of: {allowed}",
            given=mode,
            allowed=allowed,
        ) from None


def checked_k(k: Any) -> int:
    """Return ``k``, a whole number in 1..200; raises InvalidArgumentError."""
    return _checked_int("k", k, range(1, MAX_K + 1))


def checked_snippet_chars(chars: Any) -> int:
    """Return the snippet length, a whole number in 20..4,000; raises InvalidArgumentError."""
    return _checked_int("snippet_chars", chars, SNIPPET_CHARS)


def checked_deadline(seconds: Any) -> float:
    """Return the deadline, a finite number of seconds above 0; raises InvalidArgumentError."""
    if (
        isinstance(seconds, bool)
        or not isinstance(seconds, int | float)
        or not (math.isfinite(seconds) and seconds > 0)
    ):
        raise InvalidArgumentError(
            f"deadline_s must be a number of seconds above 0; got {in_words(seconds, limit=80)}",
            given=seconds,
            allowed="a finite number above 0",
        )
    return float(seconds)


def _checked_int(name: str, value: Any, allowed: range) -> int:
    if type(value) is not int or value not in allowed:  # a bool is an int
        words = f"a whole number from {allowed[0]:,} to {allowed[-1]:,}"
        raise InvalidArgumentError(
            f"{name} must be {words}; got {in_words(value, limit=80)}", given=value, allowed=words
        )
    return value
