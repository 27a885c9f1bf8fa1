"""The one filter model that every store and every surface shares."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from rag.errors import InvalidFilterError
from rag.errors.did_you_mean import did_you_mean
from rag.errors.rag_error import in_words
from rag.ingest.records import Media, Trust

KEY_PATTERN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
MAX_VALUES = 100  # per key; an engine's expression must stay a size it can parse
MEDIA_ALIASES = {"md": Media.MARKDOWN, "txt": Media.TEXT, "htm": Media.HTML}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """What a hit must satisfy: all keys at once, any value within a key.

    An unknown *key*, a wrong type, or a value outside a closed set (``media``, ``trust_min``) is an
    error; a value that no document has gives no hits.
    ``path_glob`` follows shell rules where ``*`` and ``?`` do not cross ``/`` and ``**`` does.
    ``path_prefix`` is literal. ``trust_min`` admits that level and those above it.
    ``indexed_after`` is inclusive and compared as an instant in UTC.
    """

    tags: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    lang: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    source_type: tuple[str, ...] = ()
    trust_min: Trust | None = None
    tenant: str | None = None
    path_prefix: str | None = None
    path_glob: str | None = None
    doc_id: tuple[str, ...] = ()
    indexed_after: datetime | None = None

    @property
    def is_empty(self) -> bool:
        """Whether everything passes."""
        return all(getattr(self, f.name) in ((), None) for f in fields(self))

    def canonical(self) -> dict[str, Any]:
        """Return the keys that are set, as JSON values in a fixed order."""
        out: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if value in ((), None):
                continue
            if isinstance(value, datetime):
                value = value.astimezone(UTC).isoformat()
            out[f.name] = list(value) if isinstance(value, tuple) else str(value)
        return out


_LISTS = ("tags", "media", "lang", "source", "source_type", "doc_id")
_MEDIA = tuple(map(str, Media))  # every reader's media is one of these
_TEXTS = ("tenant", "path_prefix", "path_glob")
FILTER_KEYS = tuple(f.name for f in fields(SearchFilter))


def parse_filter(given: Mapping[str, Any] | SearchFilter | None) -> SearchFilter:
    """Return the filter that a mapping of JSON values describes.

    A list key accepts one string or a sequence of strings.

    Raises:
        InvalidFilterError: an unknown key, a value of the wrong type or outside a closed set, too
            many values, or a time without an offset.
    """
    if given is None:
        return SearchFilter()
    if isinstance(given, SearchFilter):
        return given
    if not isinstance(given, Mapping):
        raise InvalidFilterError(
            f"a filter must be an object of keys and values; got {type(given).__name__}",
            given=given,
            allowed=", ".join(FILTER_KEYS),
            hint='such as {"lang": ["en"], "path_prefix": "guide/"}',
        )
    values: dict[str, Any] = {}
    for key, value in given.items():
        if not isinstance(key, str) or not KEY_PATTERN.match(key) or key not in FILTER_KEYS:
            raise InvalidFilterError(
                f"unknown filter key {in_words(key, limit=80)}; "
                f"expected one of: {', '.join(FILTER_KEYS)}",
                given=key,
                allowed=", ".join(FILTER_KEYS),
                hint=did_you_mean(key, FILTER_KEYS),
            )
        if value is None:
            continue
        values[key] = _parsed_value(key, value)
    return SearchFilter(**values)


def _parsed_value(key: str, value: Any) -> Any:
    if key in _LISTS:
        items = [value] if isinstance(value, str) else value
        if (
            not isinstance(items, Sequence)
            or isinstance(items, bytes)
            or not all(isinstance(item, str) for item in items)
        ):
            raise _wrong_type(key, value, "a string or a list of strings")
        if len(items) > MAX_VALUES:
            raise InvalidFilterError(
                f"filter {key!r} has {len(items)} values; at most {MAX_VALUES} are allowed",
                given=len(items),
                allowed=f"at most {MAX_VALUES} values",
                hint="ask in several searches, or filter by a path_prefix or tag that they share",
            )
        if key == "media":
            items = [_media(item) for item in items]
        return tuple(dict.fromkeys(items))
    if key in _TEXTS:
        if not isinstance(value, str):
            raise _wrong_type(key, value, "a string")
        return value
    if key == "trust_min":
        try:
            return Trust(value if isinstance(value, str) else "")
        except ValueError:
            levels = ", ".join(Trust)
            raise InvalidFilterError(
                f"unknown trust level {in_words(value, limit=80)}; expected one of: {levels}",
                given=value,
                allowed=levels,
                hint="leave it out to take every level",
            ) from None
    return _parsed_instant(key, value)


def _media(given: str) -> str:
    name = given.lower()
    if name in MEDIA_ALIASES:
        return str(MEDIA_ALIASES[name])
    if name not in _MEDIA:
        kinds = ", ".join(_MEDIA)
        raise InvalidFilterError(
            f"unknown media {given!r:.80}; expected one of: {kinds}",
            given=given,
            allowed=kinds,
            hint="a file's suffix decides its media; a path_glob such as **/*.py is narrower",
        )
    return name


def _parsed_instant(key: str, value: Any) -> datetime:
    allowed = "an ISO 8601 time with an offset, such as 2026-01-31T00:00:00Z"
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise _wrong_type(key, value, allowed) from None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise _wrong_type(key, value, allowed)
    try:
        return value.astimezone(UTC)
    except OverflowError:  # the offset carries it out of the years 1 to 9999
        raise _wrong_type(key, value.isoformat(), allowed) from None


def _wrong_type(key: str, value: Any, allowed: str) -> InvalidFilterError:
    return InvalidFilterError(
        f"filter {key!r} must be {allowed}; got {in_words(value, limit=80)}",
        given=value,
        allowed=allowed,
        hint=f"give {key!r} as described, or leave it out",
    )
