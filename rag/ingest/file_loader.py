"""Reads one found file: its bytes, then its document, or why there is none."""

from __future__ import annotations

from rag.errors import UnreadableFileError
from rag.ingest.protocol import Reader
from rag.ingest.records import FoundFile, Media, ParsedDocument, SkippedFile, SkipReason
from rag.ingest.text_decoding import is_binary

_BINARY_MEDIA = frozenset({Media.PDF, Media.DOCX})


def load_file(found: FoundFile, *, max_file_bytes: int) -> bytes | SkippedFile:
    """Return the bytes of ``found``, or the reason to skip it; never raises for a bad file.

    The size is checked again, since a file may have grown after the walk.
    """
    try:
        with found.path.open("rb") as file:
            data = file.read(max_file_bytes + 1)
    except OSError as error:
        return SkippedFile(
            uri=found.uri, reason=SkipReason.UNREADABLE, detail=error.strerror or str(error)
        )
    if len(data) > max_file_bytes:
        return too_large(found.uri, max_file_bytes)
    if not data:
        return SkippedFile(uri=found.uri, reason=SkipReason.EMPTY, detail="no bytes")
    return data


def too_large(uri: str, max_file_bytes: int) -> SkippedFile:
    """Return what is said of a file or text over the limit."""
    return SkippedFile(uri=uri, reason=SkipReason.TOO_LARGE, detail=f"over {max_file_bytes} bytes")


def parse_file(data: bytes, reader: Reader, *, uri: str) -> ParsedDocument | SkippedFile:
    """Return the document that ``reader`` makes of ``data``, or the reason to skip it."""
    if reader.media not in _BINARY_MEDIA and is_binary(data):
        return SkippedFile(uri=uri, reason=SkipReason.BINARY, detail="it has NUL bytes")
    try:
        parsed = reader.read(data, uri=uri)
    except UnreadableFileError as error:
        return SkippedFile(
            uri=uri, reason=SkipReason.UNREADABLE, detail=_without_name(error.message, uri)
        )
    if not parsed.text or parsed.text.isspace():
        detail = "no page has text; scans need text recognition first"
        return SkippedFile(
            uri=uri,
            reason=SkipReason.EMPTY,
            detail=detail if reader.media is Media.PDF else "only white space",
        )
    return parsed


def _without_name(message: str, uri: str) -> str:
    """Return what is wrong with a file; its name stands beside that wherever it is shown."""
    return message.removeprefix(f"{uri} is ").removeprefix(f"{uri} ")
