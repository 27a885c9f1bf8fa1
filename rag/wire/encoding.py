"""Records as JSON: enums by value, tuples as lists, no NaN or Infinity token."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter


@cache
def _adapter(record_type: Any) -> TypeAdapter[Any]:
    return TypeAdapter(record_type)


def to_wire(record: Any) -> dict[str, Any]:
    """Return a frozen record as a JSON object; non-finite numbers become null."""
    return cast("dict[str, Any]", json.loads(to_json(record)))


def to_json(record: Any, *, indent: int | None = None) -> str:
    """Return a frozen record as JSON text, with non-ASCII characters as they are."""
    return _adapter(type(record)).dump_json(record, indent=indent, warnings="error").decode()
