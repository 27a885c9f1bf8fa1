"""What the metadata of frameworks say about where a text comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag.errors import InvalidArgumentError
from rag.ingest.records import Span
from rag.tool import ForeignHit

# In this order: our own retrievers', then what the loaders of the frameworks write.
URI_KEYS = ("doc_path", "source", "file_path", "url", "file_name")
TITLE_KEY = "title"
PAGE_KEY = "page_number"  # Haystack's, from 1; others count from 0 or from nowhere in particular


def foreign_hit(
    text: str | None,
    metadata: Mapping[str, Any],
    *,
    score: float | None,
    chunk_id: str | None = None,
    doc_id: str | None = None,
) -> ForeignHit:
    """Return a hit with what its metadata say of its document, and nothing guessed.

    Raises:
        InvalidArgumentError: there is no text, as with an image.
    """
    if text is None:
        raise InvalidArgumentError(
            f"{chunk_id or 'a document'} has no text to make evidence of",
            given=chunk_id,
            allowed="documents with text",
        )
    texts = (metadata.get(key) for key in URI_KEYS)
    title, page = metadata.get(TITLE_KEY), metadata.get(PAGE_KEY)
    return ForeignHit(
        text=text,
        score=score,
        uri=next((value for value in texts if isinstance(value, str) and value), ""),
        title=title if isinstance(title, str) else "",
        span=Span(kind="page", start=page, end=page) if type(page) is int and page >= 1 else None,
        chunk_id=chunk_id or "",
        doc_id=doc_id or "",
    )
