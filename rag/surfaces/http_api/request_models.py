"""What the service takes, beside a look-up: its fields, and their description in OpenAPI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag.retrieval.records import MAX_K, MAX_QUERY_CHARS
from rag.stores.filters import SearchFilter
from rag.tool.lookup_request import Filters, first_fault

Model = TypeVar("Model", bound=BaseModel)
MAX_TAGS = 100
MAX_NAME_CHARS = 1_000


class ServiceRequest(BaseModel):
    """A request's body: closed to unknown names, and no type is turned into another."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SearchRequest(ServiceRequest):
    """One search; None takes the setting's default."""

    query: str = Field(
        description="Words or a question.",
        json_schema_extra={"minLength": 1, "maxLength": MAX_QUERY_CHARS},
    )
    mode: Literal["hybrid", "vector", "dense", "lexical"] | None = Field(
        default=None,
        description="hybrid asks by words and by meaning and fuses both; vector (or dense) by "
        "meaning alone; lexical by words alone.",
    )
    k: int | None = Field(default=None, ge=1, le=MAX_K, description="Hits per page.")
    filters: Filters = Field(default_factory=SearchFilter)
    cursor: str | None = Field(
        default=None,
        description="The next_cursor of an earlier page of the same query, mode and filters.",
    )
    snippet_chars: int | None = Field(
        default=None, ge=20, le=4_000, description="Longest snippet, in characters."
    )
    max_tokens: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Tokens that the hits may take as JSON."
    )
    trace: bool = Field(
        default=False,
        description="Add the channels' whole rankings and what a look-up would drop.",
    )


class _About(ServiceRequest):
    """What is said of the documents of an ingest."""

    source: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="Name of their origin; default: files, or default for a folder.",
    )
    tenant: str | None = Field(
        default=None, max_length=200, description="Tenant that they belong to."
    )
    tags: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        default=(), max_length=MAX_TAGS, description="Tags to find them by."
    )
    trust: Literal["primary", "secondary", "generated"] = Field(
        default="primary", description="How much they are trusted."
    )
    source_type: str = Field(
        default="document", min_length=1, max_length=100, description="What kind of source it is."
    )


class PathIngest(_About):
    """A file or folder of the service's machine, below a folder that the settings allow."""

    path: str = Field(
        min_length=1, max_length=4_000, description="Path of a file or folder on that machine."
    )
    force: bool = Field(default=False, description="Read unchanged files again too.")


class TextIngest(_About):
    """A text and the path to store it under."""

    name: str = Field(
        min_length=1,
        max_length=MAX_NAME_CHARS,
        description="Path to store it under; its suffix says what it is: notes/today.md.",
    )
    text: str = Field(description="The text.")


class UploadIngest(_About):
    """The fields that may go with an uploaded file, in the same form."""

    name: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_NAME_CHARS,
        description="Path to store it under; default: the file's own name.",
    )


def parsed(model: type[Model], given: Mapping[str, Any]) -> Model:
    """Return the request that a JSON object describes; null counts as left out.

    Raises:
        InvalidArgumentError: a field is unknown, missing, of the wrong type or out of range.
        InvalidFilterError: a filter is at fault.
    """
    try:
        return model.model_validate({k: v for k, v in given.items() if v is not None})
    except ValidationError as error:
        raise first_fault(error, model) from None
