"""Opaque marks that continue a search where its last page ended."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rag.errors import InvalidCursorError, StaleCursorError
from rag.ranking.records import Channel, SearchMode
from rag.stores.filters import SearchFilter

VERSION = 1
MAX_CURSOR_CHARS = 1_000  # ours have some 250; a longer text is not worth decoding
MAX_OFFSET = 1_000_000  # far beyond any candidate depth
_ALPHABET = re.compile(r"[A-Za-z0-9_-]+")
_START_AGAIN = "search again without a cursor"


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorScope:
    """The search that a cursor continues.

    ``ranking`` names what orders the hits (fusion settings, embedder); two searches with equal
    scopes on one corpus revision have one ranking. The page size is not part of it.
    """

    query: str
    mode: SearchMode
    filters: SearchFilter
    ranking: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where the next page begins, and of what ranking.

    ``offset`` hits came on earlier pages. ``channels`` are those that answered: without one of
    them the order is another, and pages would overlap.
    """

    offset: int
    revision: str
    channels: str

    def check(self, *, revision: str, answered: Iterable[Channel]) -> None:
        """Hold the ranking at hand against the one that the cursor was made of.

        Raises:
            StaleCursorError: the corpus changed, or other channels answered.
        """
        if revision != self.revision:
            raise StaleCursorError(
                f"the index changed since this cursor was made "
                f"(revision {self.revision} then, {revision} now)",
                hint=_START_AGAIN,
            )
        if (now := channel_names(answered)) != self.channels:
            raise StaleCursorError(
                f"this cursor continues a ranking of {self.channels or 'no channel'}, "
                f"and now {now or 'no channel'} answered, so pages would overlap",
                hint=_START_AGAIN,
            )


def channel_names(channels: Iterable[Channel]) -> str:
    """Return the channels as one word: ``lexical+vector``."""
    return "+".join(sorted(str(channel) for channel in channels))


def encode_cursor(scope: CursorScope, cursor: Cursor) -> str:
    """Return the cursor as base64url text without padding, bound to its scope by digests."""
    fields = {
        "v": VERSION,
        "o": cursor.offset,
        "r": cursor.revision,
        "c": cursor.channels,
        **_digests(scope),
    }
    packed = json.dumps(fields, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def decode_cursor(text: str, scope: CursorScope) -> Cursor:
    """Return what the cursor says, if it belongs to this search.

    Raises:
        InvalidCursorError: the text is no cursor of ours, or one of another query, mode or
            filter; the message says which.
        StaleCursorError: the settings that order the hits are not those of the cursor.
    """
    fields = _unpacked(text)
    expected = _digests(scope)
    for key, name in (("q", "query"), ("m", "mode"), ("f", "filter")):
        if fields.get(key) != expected[key]:
            raise InvalidCursorError(
                f"the cursor belongs to a search with another {name}",
                given=text,
                allowed="the next_cursor of the same query, mode and filters",
                hint=f"repeat the {name} of the first page, or {_START_AGAIN}",
            )
    if fields.get("s") != expected["s"]:
        raise StaleCursorError(
            "the settings that order the hits changed since this cursor was made",
            hint=_START_AGAIN,
        )
    offset, revision, channels = fields.get("o"), fields.get("r"), fields.get("c")
    if (
        type(offset) is not int  # a bool is an int
        or not 1 <= offset <= MAX_OFFSET
        or not isinstance(revision, str)
        or not isinstance(channels, str)
    ):
        raise _malformed(text)
    return Cursor(offset=offset, revision=revision, channels=channels)


def _unpacked(text: str) -> dict[str, Any]:
    if not isinstance(text, str) or len(text) > MAX_CURSOR_CHARS or not _ALPHABET.fullmatch(text):
        raise _malformed(text)
    try:
        fields = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError):
        raise _malformed(text) from None
    if not isinstance(fields, dict) or fields.get("v") != VERSION:
        raise _malformed(text)
    return fields


def _malformed(text: object) -> InvalidCursorError:
    return InvalidCursorError(
        "this is not a cursor of ours",
        given=text,
        allowed="the next_cursor of an earlier page, unchanged",
        hint=_START_AGAIN,
    )


def _digests(scope: CursorScope) -> dict[str, str]:
    return {
        "q": _digest(scope.query),
        "m": str(scope.mode),
        "f": _digest(json.dumps(scope.filters.canonical(), sort_keys=True)),
        "s": _digest(scope.ranking),
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
