"""``bulk_item.v1``: many searches in one call, where one that fails costs the others nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rag.errors import InvalidArgumentError, RagError
from rag.errors.rag_error import in_words
from rag.requests.request import parse_as
from rag.requests.search_request import SearchRequest
from rag.stores.filters import FILTER_KEYS
from rag.wire.error_object import ErrorObject, error_object
from rag.wire.search_response import SearchResult

MAX_BULK = 100  # searches per call: more is better split, so that one answer stays readable

OPTIONS = tuple(name for name in SearchRequest.model_fields if name not in ("query", "filters"))
"""What a search may be given besides its query and filters."""
NAMES = ("query", *OPTIONS, *FILTER_KEYS)

Search = Callable[[SearchRequest], SearchResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkItem:
    """One search of several (``bulk_item.v1``): exactly one of response and error is not null.

    ``query`` is what was given, as it was given: an object, or the text of a line that is none.
    """

    schema_version: Literal["bulk_item.v1"] = "bulk_item.v1"
    query: Any
    response: SearchResult | None
    error: ErrorObject | None


def checked_searches(given: object) -> tuple[object, ...]:
    """Return the searches of a call as they are.

    Raises:
        InvalidArgumentError: it is no list, or holds more than 100.
    """
    allowed = f"a list of at most {MAX_BULK} searches"
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise InvalidArgumentError(
            f"'queries' must be {allowed}; got {type(given).__name__}",
            given=given,
            allowed=allowed,
            hint='such as ["backups", {"query": "walrus", "k": 3}]',
        )
    check_bulk_size(len(given))
    return tuple(given)


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


def bulk_line(line: str | bytes, search: Search) -> BulkItem:
    """Return the answer to a line of NDJSON: a flat object of ``query``, options and filters."""
    try:
        text = line if isinstance(line, str) else line.decode()
    except UnicodeDecodeError as error:
        shown = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
        refused = InvalidArgumentError(
            f"this line is not UTF-8: it has the byte {error.object[error.start]:#04x}",
            given=shown,
            allowed="one JSON object a line, in UTF-8",
            hint="convert the file first, such as with: iconv -f LATIN1 -t UTF-8",
        )
        return BulkItem(query=shown, response=None, error=error_object(refused))
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error.args[0] if isinstance(error, ValueError) else "it is nested too deeply"
        refused = InvalidArgumentError(
            f"this line is no JSON: {reason}",
            given=text,
            allowed='one object a line, such as {"query": "backups", "k": 3}',
            hint="write each search on a line of its own",
        )
        return BulkItem(query=text, response=None, error=error_object(refused))
    return bulk_item(given, search)


def bulk_item(given: object, search: Search) -> BulkItem:
    """Return the answer to one search, given as a string or a flat object."""
    try:
        return BulkItem(query=given, response=search(_request(given)), error=None)
    except RagError as error:
        return BulkItem(query=given, response=None, error=error_object(error))


def _request(given: object) -> SearchRequest:
    if isinstance(given, str):
        return parse_as(SearchRequest, given)
    if not isinstance(given, Mapping):
        raise InvalidArgumentError(
            f"a search must be an object; got {_json_type(given)}",
            given=given,
            allowed="an object with the key query",
            hint='such as {"query": "backups", "k": 3}',
        )
    for name in given:
        if name not in NAMES:
            allowed = ", ".join(NAMES)
            raise InvalidArgumentError(
                f"unknown argument {in_words(name, limit=80)}; expected one of: {allowed}",
                given=name,
                allowed=allowed,
                hint="options and filters stand beside the query, not inside another object",
            )
    fields = {name: value for name, value in given.items() if name not in FILTER_KEYS}
    filters = {name: value for name, value in given.items() if name in FILTER_KEYS}
    return parse_as(SearchRequest, {**fields, "filters": filters})


def _json_type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Sequence):
        return "a list"
    if isinstance(value, int | float):
        return f"the number {in_words(value, limit=40)}"
    return type(value).__name__
