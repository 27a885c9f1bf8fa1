"""Answers a request to read back."""

from __future__ import annotations

from rag.requests.fetch_request import FetchRequest
from rag.retrieval.document_fetcher import DocumentFetcher, FetchResult


def fetch_stored(fetcher: DocumentFetcher, request: FetchRequest) -> FetchResult:
    """Return the stored text that a request names.

    Raises:
        NotFoundError: there is no such document or chunk.
        InvalidArgumentError: the name is of several documents, or the lines are beyond its end.
    """
    if request.kind == "chunk":
        return fetcher.chunk(request.name, context=request.context)
    which = {"source": request.source, "tenant": request.tenant}
    if request.kind == "document":
        return fetcher.document(request.name, max_tokens=request.max_tokens, **which)
    return fetcher.span(
        request.name, request.start, request.end, max_tokens=request.max_tokens, **which
    )
