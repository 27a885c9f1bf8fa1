"""The fields that may go with an uploaded file, in the same form."""

from __future__ import annotations

from pydantic import Field

from rag.tool.ingest_arguments import AboutDocuments
from rag.tool.request_fields import MAX_NAME_CHARS


class UploadIngest(AboutDocuments):
    """What is said of an uploaded file."""

    name: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_NAME_CHARS,
        description="Path to store it under; default: the file's own name.",
    )
