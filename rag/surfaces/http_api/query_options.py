"""Reads the options that stand in an address, after the question mark."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import QueryParams

from rag.errors import InvalidArgumentError
from rag.stores.filters import FILTER_KEYS, SearchFilter, parse_filter

LIST_KEYS = frozenset({"tags", "media", "lang", "source", "source_type", "doc_id"})


def check_names(params: QueryParams, allowed: tuple[str, ...]) -> None:
    """Raise InvalidArgumentError for an option that is not known, or a plain one given twice."""
    for name in params:
        if name not in allowed:
            names = ", ".join(allowed)
            raise InvalidArgumentError(
                f"unknown option {name!r:.80}; expected one of: {names}", given=name, allowed=names
            )
        if name not in LIST_KEYS and len(params.getlist(name)) > 1:
            raise InvalidArgumentError(
                f"the option {name!r} is given more than once", given=name, allowed="once"
            )


def whole_number(
    params: QueryParams, name: str, *, least: int, most: int, default: int | None = None
) -> int | None:
    """Return an option that is a whole number; raises InvalidArgumentError."""
    given = params.get(name)
    if given is None:
        return default
    plain = given.isascii() and given.isdigit() and len(given) <= len(str(most))
    if not plain or not least <= int(given) <= most:
        allowed = f"a whole number from {least:,} to {most:,}"
        raise InvalidArgumentError(
            f"{name!r} must be {allowed}; got {given!r:.80}", given=given, allowed=allowed
        )
    return int(given)


def filters_of(params: QueryParams) -> SearchFilter:
    """Return the filter among the options; a key that takes several values may stand repeatedly."""
    given: dict[str, Any] = {
        key: params.getlist(key) if key in LIST_KEYS else params[key]
        for key in FILTER_KEYS
        if key in params
    }
    return parse_filter(given)
