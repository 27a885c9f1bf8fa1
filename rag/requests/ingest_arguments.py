"""What a caller may say of documents that are to be stored."""

from __future__ import annotations

from enum import Enum
from pathlib import PurePath
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from rag.errors import InvalidArgumentError
from rag.requests.request import Request
from rag.requests.request_fields import MAX_NAME_CHARS, MAX_SOURCE_CHARS, MAX_TENANT_CHARS

MAX_TAGS = 100


def in_text(value: object) -> object:
    """Return a path or a member of an enumeration as its text, and anything else as it is."""
    return str(value) if isinstance(value, PurePath | Enum) else value


def _without_nul(path: str) -> str:
    """Return a path if an operating system can take it; raises InvalidArgumentError."""
    if "\0" in path:
        raise InvalidArgumentError(
            f"{path!r:.80} is no path",
            given=path,
            allowed="a path without NUL characters",
            hint="name it as a file would be named, such as notes/today.md",
        )
    return path


PathText = Annotated[
    str, Field(min_length=1, max_length=MAX_NAME_CHARS), AfterValidator(_without_nul)
]


class AboutDocuments(Request):
    """What is said of the documents of an ingest."""

    source: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_SOURCE_CHARS,
        description="Name of their origin; default: files, or default for a folder.",
    )
    tenant: str = Field(
        default="", max_length=MAX_TENANT_CHARS, description="Tenant that they belong to."
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


class PathIngest(AboutDocuments):
    """A file or folder to read."""

    called: ClassVar[str] = "an ingest"

    path: PathText = Field(description="Path of a file or folder.")
    force: bool = Field(default=False, description="Read unchanged files again too.")


class TextIngest(AboutDocuments):
    """A text, and the path to store it under; it may be as large as a file may."""

    called: ClassVar[str] = "an ingest"

    name: PathText = Field(
        description="Relative path to store it under; its suffix says what it is: notes/today.md.",
    )
    text: str = Field(description="The text, such as Markdown.")
