"""Reads the options that stand in an address, after the question mark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from starlette.datastructures import QueryParams

from rag.errors import InvalidArgumentError
from rag.requests.request_fault import unknown_argument
from rag.stores.filters import FILTER_KEYS

LIST_KEYS = frozenset({"tags", "media", "lang", "source", "source_type", "doc_id"})
WHOLE_NUMBER = re.compile(r"-?[0-9]{1,20}")


def options_of(
    params: QueryParams, *numbers: str, texts: Sequence[str] = (), filters: bool = False
) -> dict[str, Any]:
    """Return the options as fields of a request: numbers as numbers, if they are.

    ``texts`` are options that are none. With ``filters``, filter keys may stand among them,
    those of several values repeatedly.

    Raises:
        InvalidArgumentError: an option is not known, or a plain one is given twice.
    """
    keys = FILTER_KEYS if filters else ()
    known = (*numbers, *texts, *keys)
    for name in params:
        if name not in known:
            raise unknown_argument(name, known)
        if (name in texts or name not in LIST_KEYS) and len(params.getlist(name)) > 1:
            raise InvalidArgumentError(
                f"the option {name!r} is given more than once", given=name, allowed="once"
            )
    given: dict[str, Any] = {name: _number(params[name]) for name in numbers if name in params}
    given |= {name: params[name] for name in texts if name in params}
    if filters:
        given["filters"] = {
            key: params.getlist(key) if key in LIST_KEYS else params[key]
            for key in keys
            if key in params
        }
    return given


def _number(text: str) -> int | str:
    return int(text) if WHOLE_NUMBER.fullmatch(text) else text


def whole_number(
    params: QueryParams, name: str, *, least: int, most: int, default: int | None = None
) -> int | None:
    """Return an option of a page that is a whole number; raises InvalidArgumentError."""
    given = params.get(name)
    if given is None:
        return default
    number = _number(given)
    if not isinstance(number, int) or not least <= number <= most:
        allowed = f"a whole number from {least:,} to {most:,}"
        raise InvalidArgumentError(
            f"{name!r} must be {allowed}; got {number!r:.80}", given=given, allowed=allowed
        )
    return number
