"""What every request is: closed, strict, and read by one function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from rag.errors import InvalidArgumentError
from rag.requests.request_fault import first_fault


class Request(BaseModel):
    """One call of an operation, by its fields; unknown names and other types are errors.

    Every surface reads what it was given into the same subclass, so a field has the same limits,
    default and messages in Python, on the command line, over MCP and over HTTP. A surface may
    subclass to change a default, and nothing else.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    called: ClassVar[str] = "a request"

    def check(self) -> None:
        """Raise InvalidInputError for what a type cannot say, such as a query that is blank.

        Called by :func:`parse_as`, so before a surface opens any base.
        """


Given = TypeVar("Given", bound=Request)


def parse_as(
    model: type[Given],
    given: Given | str | Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
) -> Given:
    """Return the request that a query, an object or a request describes, with options over it.

    null counts as left out, but for a field that must be given.

    Raises:
        InvalidArgumentError: a field is unknown, missing, of the wrong type or out of range.
        InvalidFilterError: a filter key is unknown or its value has the wrong type.
        EmptyQueryError, QueryTooLongError: there is nothing to search for, or too much.
    """
    if isinstance(given, model) and not options:
        return given
    fields = {**fields_of(given, model), **(options or {})}
    try:
        request = model.model_validate(without_nulls(fields, model))
    except ValidationError as error:
        raise first_fault(error, model) from None
    request.check()
    return request


def fields_of(given: object, model: type[Request]) -> dict[str, Any]:
    """Return the fields that were given: of a query, an object, or a request.

    Raises:
        InvalidArgumentError: it is none of them.
    """
    if isinstance(given, Request):
        return {name: getattr(given, name) for name in given.model_fields_set}
    if isinstance(given, str) and "query" in model.model_fields:
        return {"query": given}
    if isinstance(given, Mapping):
        return dict(given)
    asks = "query" in model.model_fields
    raise InvalidArgumentError(
        f"{model.called} must be {'a question or ' if asks else ''}an object; "
        f"got {type(given).__name__}",
        given=given,
        allowed="a string, or an object with the field query" if asks else "an object",
    )


def without_nulls(fields: Mapping[str, Any], model: type[Request]) -> dict[str, Any]:
    """Return the fields without those that are null and may be left out."""
    known = model.model_fields
    return {
        name: value
        for name, value in fields.items()
        if value is not None or name not in known or known[name].is_required()
    }
