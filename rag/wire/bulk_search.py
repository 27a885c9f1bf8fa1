"""``bulk_item.v1``: many searches in one call, where one that fails costs the others nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rag.errors import InvalidArgumentError, RagError
from rag.stores.filters import FILTER_KEYS
from rag.wire.error_object import ErrorObject, error_object
from rag.wire.search_response import SearchResult

MAX_BULK = 100  # searches per call: more is better split, so that one answer stays readable

OPTIONS: Mapping[str, type] = {
    "mode": str,
    "k": int,
    "cursor": str,
    "snippet_chars": int,
    "max_tokens": int,
    "trace": bool,
}
"""What a search may be given besides its query and filters, and of which JSON type."""
NAMES = ("query", *OPTIONS, *FILTER_KEYS)
_TYPE_NAMES = {str: "a string", int: "a whole number", bool: "true or false"}

Search = Callable[..., SearchResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkItem:
    """One search of several (``bulk_item.v1``): exactly one of response and error is not null.

    ``query`` is what was given, as it was given: an object, or the text of a line that is none.
    """

    schema_version: Literal["bulk_item.v1"] = "bulk_item.v1"
    query: Any
    response: SearchResult | None
    error: ErrorObject | None


def check_bulk_size(count: int) -> None:
    """Refuse more searches than one call takes, before the first of them runs.

    Raises:
        InvalidArgumentError: there are more than 100.
    """
    if count > MAX_BULK:
        raise InvalidArgumentError(
            f"a bulk search takes at most {MAX_BULK} queries",
            given=f"more than {MAX_BULK}",
            allowed=f"0 to {MAX_BULK} queries",
            hint="split them into several calls",
        )


def bulk_line(line: str, search: Search) -> BulkItem:
    """Return the answer to a line of NDJSON: a flat object of ``query``, options and filters."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.args[0] if isinstance(error, ValueError) else "it is nested too deeply"
        refused = InvalidArgumentError(
            f"this line is no JSON: {reason}",
            given=line,
            allowed='one object a line, such as {"query": "backups", "k": 3}',
        )
        return BulkItem(query=line, response=None, error=error_object(refused))
    return bulk_item(given, search)


def bulk_item(given: object, search: Search) -> BulkItem:
    """Return the answer to one search, given as a string or a flat object."""
    try:
        text, options = _parsed(given)
        return BulkItem(query=given, response=search(text, **options), error=None)
    except RagError as error:
        return BulkItem(query=given, response=None, error=error_object(error))


def _parsed(given: object) -> tuple[str, dict[str, Any]]:
    if isinstance(given, str):
        return given, {}
    if not isinstance(given, Mapping):
        raise InvalidArgumentError(
            f"a search must be an object; got {_json_type(given)}",
            given=given,
            allowed="an object with the key query",
        )
    for name, value in given.items():
        if name not in NAMES:
            allowed = ", ".join(NAMES)
            raise InvalidArgumentError(
                f"unknown key {name!r:.80}; expected one of: {allowed}",
                given=name,
                allowed=allowed,
                hint="options and filters stand beside the query, not inside another object",
            )
        expected = str if name == "query" else OPTIONS.get(name)
        absent = value is None and name != "query"
        if expected is not None and not absent and type(value) is not expected:
            raise InvalidArgumentError(
                f"{name!r} must be {_TYPE_NAMES[expected]}; got {_json_type(value)}",
                given=value,
                allowed=_TYPE_NAMES[expected],
            )
    if "query" not in given:
        raise InvalidArgumentError("the key 'query' is missing", allowed="a string under query")
    options = {name: given[name] for name in OPTIONS if given.get(name) is not None}
    filters = {name: given[name] for name in FILTER_KEYS if given.get(name) is not None}
    return given["query"], {**options, "filters": filters}


def _json_type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, Sequence):
        return "a list"
    return f"the number {value!r:.40}" if isinstance(value, int | float) else type(value).__name__
