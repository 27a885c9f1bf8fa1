"""Records as JSON: enums by value, tuples as lists, no NaN or Infinity token."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, cast

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

_ADAPTERS: dict[type, TypeAdapter[Any]] = {}  # made once per type: it costs milliseconds
_JSON_VALUE: TypeAdapter[Any] = TypeAdapter(Any)


def to_wire(record: Any) -> dict[str, Any]:
    """Return a frozen record as a JSON object; non-finite numbers become null."""
    return cast("dict[str, Any]", json.loads(to_json(record)))


def to_json(record: Any, *, indent: int | None = None) -> str:
    """Return a frozen record as JSON text, with non-ASCII characters as they are.

    What is no Unicode text, a lone surrogate, becomes U+FFFD.
    """
    kind = type(record)
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    adapter = _ADAPTERS[kind]
    try:
        return adapter.dump_json(record, indent=indent, warnings="error").decode()
    except PydanticSerializationError:
        # what a caller gave, and an error repeats, may hold lone surrogates
        values = _encodable(adapter.dump_python(record))
        return _JSON_VALUE.dump_json(values, indent=indent).decode()


def _encodable(value: Any) -> Any:
    """Return a value with lone surrogates replaced, which no JSON text can carry."""
    if isinstance(value, str) and not isinstance(value, Enum):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
