"""Where a document comes from: what tells it from others of its path."""

from __future__ import annotations

from rag.ingest.records import Document


def origin_of(document: Document) -> str:
    """Return the source, and tenant if any, in words."""
    said = f"source {document.source}"
    return f"{said}, tenant {document.tenant}" if document.tenant else said


def is_of(document: Document, source: str | None, tenant: str | None) -> bool:
    """Whether a document is of the source and tenant; None stands for any."""
    return source in (None, document.source) and tenant in (None, document.tenant)
