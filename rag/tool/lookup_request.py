"""What a caller may ask of the look-up tool, and what is said where the input is at fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
)

from rag.errors import InvalidArgumentError
from rag.retrieval.records import MAX_K, MAX_QUERY_CHARS
from rag.stores.filters import SearchFilter, parse_filter
from rag.tool.filter_schema import FILTER_SCHEMA

MAX_BUDGET = 1_000_000
MAX_SEEN = 10_000

Filters = Annotated[
    SearchFilter,
    PlainValidator(parse_filter),
    PlainSerializer(SearchFilter.canonical),
    WithJsonSchema(FILTER_SCHEMA),
]


class LookupRequest(BaseModel):
    """One call of ``lookup_knowledge``; None takes the setting's default."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    query: str = Field(
        description="The question, in the words that the documents would use.",
        json_schema_extra={"minLength": 1, "maxLength": MAX_QUERY_CHARS},
    )
    k: int | None = Field(
        default=None, ge=1, le=MAX_K, description="How many hits to make evidence of."
    )
    mode: Literal["hybrid", "vector", "dense", "lexical"] | None = Field(
        default=None,
        description="hybrid asks by words and by meaning and fuses both; vector (or dense) by "
        "meaning alone; lexical by words alone.",
    )
    filters: Filters = Field(default_factory=SearchFilter)
    budget_tokens: int | None = Field(
        default=None,
        ge=0,
        le=MAX_BUDGET,
        description="Tokens that the context block may take; 0 returns the verdict alone.",
    )
    min_quality: float | None = Field(
        default=None,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Leave out evidence below this quality; in hybrid and lexical mode that is a "
        "share of the ranking, not a measure of fit.",
    )
    cursor: str | None = Field(
        default=None,
        description="The next_cursor of an earlier result of the same query, mode and filters.",
    )
    session_id: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Names the conversation, so that look-ups which lead nowhere new are noticed.",
    )
    attempt: int | None = Field(
        default=None,
        ge=1,
        le=1_000,
        description="Which look-up of this question this is, from 1, for a caller that counts "
        "itself; takes the place of session_id.",
    )
    seen_chunk_ids: tuple[str, ...] = Field(
        default=(),
        max_length=MAX_SEEN,
        strict=False,
        description="Chunk ids that earlier attempts gave, with attempt.",
    )
    deadline_s: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="Seconds that the search may take."
    )


def parse_request(
    given: LookupRequest | str | Mapping[str, Any], options: Mapping[str, Any] | None = None
) -> LookupRequest:
    """Return the request that a question, an object or a request describes, with options over it.

    Raises:
        InvalidArgumentError: a field is unknown, missing, of the wrong type or out of range.
        InvalidFilterError: a filter key is unknown or its value has the wrong type.
    """
    if isinstance(given, LookupRequest):
        if not options:
            return given
        fields: dict[str, Any] = {name: getattr(given, name) for name in given.model_fields_set}
    elif isinstance(given, str):
        fields = {"query": given}
    elif isinstance(given, Mapping):
        fields = dict(given)
    else:
        raise InvalidArgumentError(
            f"a look-up must be a question or an object; got {type(given).__name__}",
            given=given,
            allowed="a string, or an object with the field query",
        )
    fields.update(options or {})
    if fields.get("seen_chunk_ids") is None:
        fields.pop("seen_chunk_ids", None)
    try:
        return LookupRequest.model_validate(fields)
    except ValidationError as error:
        raise first_fault(error, LookupRequest) from None


def parse_budget(given: Any) -> int | None:
    """Return a budget that stands by itself, by the rules of ``budget_tokens``.

    Raises:
        InvalidArgumentError: it is of the wrong type or out of range.
    """
    return parse_request({"query": "", "budget_tokens": given}).budget_tokens


def first_fault(error: ValidationError, model: type[BaseModel]) -> InvalidArgumentError:
    """Return the first fault of an input as one of our errors; a caller mends one at a time."""
    fault = error.errors(include_url=False, include_context=False)[0]
    name = str(fault["loc"][0])
    names = ", ".join(model.model_fields) or "none"
    if fault["type"] == "extra_forbidden":
        return InvalidArgumentError(
            f"unknown argument {name!r}; expected one of: {names}", given=name, allowed=names
        )
    allowed = allowed_values(name, model)
    if fault["type"] == "missing":
        return InvalidArgumentError(f"{name!r} is missing; it must be {allowed}", allowed=allowed)
    return InvalidArgumentError(
        f"{name!r} must be {allowed}; got {fault['input']!r:.80}",
        given=fault["input"],
        allowed=allowed,
    )


def allowed_values(name: str, model: type[BaseModel] = LookupRequest) -> str:
    """Say in words what a field accepts."""
    schema = model.model_json_schema()["properties"][name]
    for option in schema.get("anyOf", [schema]):
        if "enum" in option:
            return "one of: " + ", ".join(option["enum"])
        if option["type"] in ("integer", "number"):
            return _number_in_words(option)
        if option["type"] == "array":
            return f"a list of at most {option['maxItems']:,} strings"
        if option["type"] == "string":
            limit = option.get("maxLength")
            return f"a string of 1 to {limit:,} characters" if limit else "a string"
    raise AssertionError(f"{name} has no type in words")


def _number_in_words(schema: Mapping[str, Any]) -> str:
    kind = "a whole number" if schema["type"] == "integer" else "a number"
    if "exclusiveMinimum" in schema:
        return f"{kind} above {schema['exclusiveMinimum']:g}"
    return f"{kind} from {schema['minimum']:,} to {schema['maximum']:,}"
