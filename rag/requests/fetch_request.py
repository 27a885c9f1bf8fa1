"""What a caller may ask to read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from rag.errors import InvalidArgumentError
from rag.requests.request import Request, parse_as
from rag.requests.request_fields import (
    MAX_NAME_CHARS,
    MAX_SOURCE_CHARS,
    MAX_TENANT_CHARS,
    TokenBudget,
)
from rag.retrieval.document_fetcher import MAX_CONTEXT

MAX_LINE = 1_000_000_000

# Which kinds have a use for a field; passing over one would answer another question.
OF_KIND: Mapping[str, tuple[str, ...]] = {
    "start": ("span",),
    "end": ("span",),
    "context": ("chunk",),
    "max_tokens": ("document", "span"),
    "source": ("document", "span"),
    "tenant": ("document", "span"),
}


class FetchRequest(Request):
    """Stored text to read back: a chunk, a document, or lines of one."""

    called: ClassVar[str] = "a fetch"

    kind: Literal["chunk", "document", "span"] = Field(
        description="chunk and its neighbours, the whole document, or the lines start to end."
    )
    name: str = Field(
        min_length=1,
        max_length=MAX_NAME_CHARS,
        description="A chunk_id for a chunk; a doc_id or path for a document or span, or for a "
        "span a citation's ref such as guide/a.md#L7-L12, which needs no start and end.",
    )
    start: int | None = Field(
        default=None, ge=1, le=MAX_LINE, description="First line or page of a span, from 1."
    )
    end: int | None = Field(
        default=None, ge=1, le=MAX_LINE, description="Last line or page of a span; default: start."
    )
    context: int = Field(
        default=0,
        ge=0,
        le=MAX_CONTEXT,
        description="Neighbouring chunks to show on either side of a chunk.",
    )
    max_tokens: TokenBudget = Field(
        default=None, description="Cut a document or span at the line where it would exceed this."
    )
    source: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_SOURCE_CHARS,
        description="The document's source, where several have its path.",
    )
    tenant: str | None = Field(
        default=None,
        max_length=MAX_TENANT_CHARS,
        description="The document's tenant; empty for one that has none.",
    )


def parse_fetch(given: FetchRequest | Mapping[str, Any]) -> FetchRequest:
    """Return what is to be read back.

    Raises:
        InvalidArgumentError: a field is at fault, or the kind has no use for it.
    """
    request = parse_as(FetchRequest, given)
    for name, kinds in OF_KIND.items():
        value = getattr(request, name)
        if request.kind not in kinds and value != FetchRequest.model_fields[name].default:
            raise InvalidArgumentError(
                f"a {request.kind} takes no {name!r}",
                given=value,
                allowed=f"{name} with kind {' or '.join(kinds)}",
                hint=f"leave {name!r} out, or fetch a {kinds[0]}",
            )
    if request.end is not None and request.start is None:
        raise InvalidArgumentError(
            "'end' needs 'start' beside it",
            given=request.end,
            allowed="start, or start and end",
            hint="give the first line or page as start",
        )
    return request
