"""What is said where a request is at fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from rag.errors import InvalidArgumentError
from rag.errors.did_you_mean import did_you_mean
from rag.errors.rag_error import in_words


def first_fault(error: ValidationError, model: type[BaseModel]) -> InvalidArgumentError:
    """Return the first fault of an input as one of our errors; a caller mends one at a time."""
    fault = error.errors(include_url=False, include_context=False)[0]
    name = str(fault["loc"][0])
    if fault["type"] in ("extra_forbidden", "invalid_key"):  # no field, or not even a text
        return unknown_argument(name, model.model_fields)
    allowed = allowed_values(name, model)
    if fault["type"] == "missing":
        return InvalidArgumentError(
            f"{name!r} is missing; it must be {allowed}", allowed=allowed, hint=f"add {name!r}"
        )
    if fault["type"] == "string_unicode":
        return InvalidArgumentError(
            f"{name!r} is no valid Unicode: it has half of a surrogate pair",
            given=fault["input"],
            allowed=f"{allowed}, of whole characters",
            hint="decode the text again from its bytes, as UTF-8",
        )
    return wrong_value(name, fault["input"], model)


def wrong_value(name: str, given: object, model: type[BaseModel]) -> InvalidArgumentError:
    """Return the error of a value that a field does not take."""
    allowed = allowed_values(name, model)
    if isinstance(given, tuple):
        given = list(given)  # as it is on the wire
    return InvalidArgumentError(
        f"{name!r} must be {allowed}; got {in_words(given, limit=80)}",
        given=given,
        allowed=allowed,
        hint=_what_to_do(name, model),
    )


# What a caller wants who goes over a limit, by field; any other field is corrected or left out.
_INSTEAD: Mapping[str, str] = {
    "k": "for more hits go on with next_cursor, given as cursor",
    "limit": "for more documents go on with offset",
    "snippet_chars": "for the whole text read the chunk with fetch",
    "budget_tokens": "0 returns the verdict alone",
    "min_quality": "leave it out to keep every piece of evidence",
    "context": "for more than its neighbours read the document",
}


def _what_to_do(name: str, model: type[BaseModel]) -> str:
    if model.model_fields[name].is_required():
        return f"give {name!r} as described"
    instead = _INSTEAD.get(name)
    return f"leave {name!r} out to take its default" + (f"; {instead}" if instead else "")


def unknown_argument(name: str, known: Mapping[str, Any] | tuple[str, ...]) -> InvalidArgumentError:
    """Return the error of a name that is no field, with those that are."""
    names = ", ".join(known) or "none"
    return InvalidArgumentError(
        f"unknown argument {name!r:.80}; expected one of: {names}",
        given=name,
        allowed=names,
        hint=did_you_mean(name, known),
    )


def allowed_values(name: str, model: type[BaseModel]) -> str:
    """Say in words what a field accepts."""
    schema = model.model_json_schema()["properties"][name]
    for option in schema.get("anyOf", [schema]):
        if "enum" in option:
            return "one of: " + ", ".join(option["enum"])
        if option["type"] in ("integer", "number"):
            return _number_in_words(option)
        if option["type"] == "array":
            return _list_in_words(option)
        if option["type"] == "boolean":
            return "true or false"
        if option["type"] == "string":
            return _text_in_words(option)
    raise AssertionError(f"{name} has no type in words")


def _list_in_words(schema: Mapping[str, Any]) -> str:
    if "minItems" in schema:  # of a batch alone
        return f"a list of {schema['minItems']} to {schema['maxItems']} questions"
    return f"a list of at most {schema['maxItems']:,} strings"


def _text_in_words(schema: Mapping[str, Any]) -> str:
    if "maxLength" not in schema:
        return "a string"
    return f"a string of {schema.get('minLength', 0)} to {schema['maxLength']:,} characters"


def _number_in_words(schema: Mapping[str, Any]) -> str:
    kind = "a whole number" if schema["type"] == "integer" else "a number"
    if "exclusiveMinimum" in schema:
        return f"{kind} above {schema['exclusiveMinimum']:g}"
    return f"{kind} from {schema['minimum']:,} to {schema['maximum']:,}"
