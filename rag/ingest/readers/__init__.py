"""One reader per file format, found by :func:`reader_for`; loading this loads none of them."""

from rag.ingest.readers.registry import ReaderRegistry, reader_for, supported_suffixes

__all__ = ["ReaderRegistry", "reader_for", "supported_suffixes"]
