"""The fields that may go with an uploaded file, in the same form."""

from __future__ import annotations

from pydantic import Field

from rag.requests.ingest_arguments import AboutDocuments, PathText


class UploadIngest(AboutDocuments):
    """What is said of an uploaded file."""

    name: PathText | None = Field(
        default=None, description="Path to store it under; default: the file's own name."
    )
