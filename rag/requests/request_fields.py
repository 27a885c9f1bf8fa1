"""The fields that several requests share, each with its one limit and description."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from rag.requests.filter_schema import FILTER_SCHEMA
from rag.retrieval.records import MAX_K, MAX_QUERY_CHARS, MAX_TOKENS
from rag.stores.filters import SearchFilter, parse_filter

MAX_SOURCE_CHARS = 100
MAX_TENANT_CHARS = 200
MAX_NAME_CHARS = 4_000  # of a document, a chunk or a path: what an operating system takes

# blank and too long queries have codes of their own, so the service judges the text's length
QUERY_LENGTH = {"minLength": 1, "maxLength": MAX_QUERY_CHARS}

Query = Annotated[str, Field(json_schema_extra=QUERY_LENGTH)]

Mode = Annotated[
    Literal["hybrid", "vector", "dense", "lexical"] | None,
    Field(
        description="hybrid asks by words and by meaning and fuses both; vector (or dense) by "
        "meaning alone; lexical by words alone."
    ),
]

HitCount = Annotated[int | None, Field(ge=1, le=MAX_K)]

Filters = Annotated[
    SearchFilter,
    PlainValidator(parse_filter),
    PlainSerializer(SearchFilter.canonical),
    WithJsonSchema(FILTER_SCHEMA),
]

NextCursor = Annotated[
    str | None,
    Field(description="The next_cursor of an earlier result of the same query, mode and filters."),
]

TokenBudget = Annotated[int | None, Field(ge=0, le=MAX_TOKENS)]

Deadline = Annotated[
    float | None,
    Field(gt=0, allow_inf_nan=False, description="Seconds that the search may take."),
]
