"""Plain text: one section, its file name as title."""

from __future__ import annotations

from pathlib import PurePosixPath

from rag.ingest.readers.suffixes import TEXT_SUFFIXES
from rag.ingest.records import Media, ParsedDocument, Section
from rag.ingest.text_decoding import decode_text


class PlainTextReader:
    """Reads a file as it is; guesses no headings, since plain text has no mark for them."""

    media = Media.TEXT
    version = "text-1"
    suffixes = TEXT_SUFFIXES

    def read(self, data: bytes, *, uri: str) -> ParsedDocument:
        text = decode_text(data, uri=uri)
        return ParsedDocument(
            text=text,
            title=PurePosixPath(uri).stem,
            media=self.media,
            sections=(Section(start=0, end=len(text)),) if text else (),
        )
