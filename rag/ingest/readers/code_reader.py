"""Source code and structured data: one section, the file's name as title."""

from __future__ import annotations

from pathlib import PurePosixPath

from rag.ingest.readers.suffixes import CODE_SUFFIXES
from rag.ingest.records import Media, ParsedDocument, Section
from rag.ingest.text_decoding import decode_text


class CodeReader:
    """Reads a file as it is.

    The chunker cuts first at a blank line before an unindented one, so a function stays whole
    in most languages without a parser for each. The title keeps the suffix, for that is how
    code files are asked for. Its language is ``und``: no human one.
    """

    media = Media.CODE
    version = "code-1"
    suffixes = CODE_SUFFIXES

    def read(self, data: bytes, *, uri: str) -> ParsedDocument:
        text = decode_text(data, uri=uri)
        return ParsedDocument(
            text=text,
            title=PurePosixPath(uri).name,
            media=self.media,
            sections=(Section(start=0, end=len(text)),) if text else (),
            language="und",
        )
