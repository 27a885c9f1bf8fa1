"""Removes documents from a store and reports what left."""

from __future__ import annotations

from rag.errors import ConfirmationRequiredError, NotFoundError
from rag.ingest.records import Document
from rag.stores.filters import SearchFilter
from rag.stores.protocol import KnowledgeStore
from rag.wire.base_reports import DeletionReport


def delete_document(store: KnowledgeStore, document: Document) -> DeletionReport:
    """Remove one document with all its chunks."""
    store.delete_documents([document.doc_id])
    return DeletionReport(
        scope="document", name=document.uri, documents=1, chunks=document.chunk_count
    )


def delete_all(store: KnowledgeStore, source: str | None, *, confirmed: bool) -> DeletionReport:
    """Remove every document, or every one of a source.

    Raises:
        NotFoundError: there is no such source.
        ConfirmationRequiredError: nobody confirmed it; nothing was removed.
    """
    names = [one.name for one in store.sources()]
    if source is not None and source not in names:
        raise NotFoundError(
            f"there is no source {source!r:.200}",
            given=source,
            allowed=", ".join(names) or "nothing was ingested yet",
            hint="name one of these; without a source all documents go",
        )
    found = list(store.documents(SearchFilter(source=() if source is None else (source,))))
    if not confirmed:
        what = "this base" if source is None else f"source {source!r}"
        raise ConfirmationRequiredError(
            f"this would delete all {len(found)} documents of {what}",
            given=f"all {len(found)} documents" if source is None else source,
            allowed="a confirmation",
            hint="confirm it with --yes, or with confirm=True in Python",
        )
    store.delete_documents([document.doc_id for document in found])
    return DeletionReport(
        scope="base" if source is None else "source",
        name=source,
        documents=len(found),
        chunks=sum(document.chunk_count for document in found),
    )
