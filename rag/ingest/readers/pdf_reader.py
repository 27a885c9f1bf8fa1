"""PDF: the text layer, one section per page."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from threading import Lock
from typing import Any

import pypdfium2 as pdfium

from rag.errors import UnreadableFileError
from rag.ingest.records import Media, ParsedDocument, Section
from rag.ingest.section_tree import shortened

# PDFium marks a word broken at a line's end by one of these in place of hyphen and break
_BROKEN_WORD = re.compile("[\ufffe\x02]\n?")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_PAGE_END = "\n\n"
_NO_TITLE = re.compile(
    r"untitled|microsoft word\b|\.(docx?|tex|dvi|indd|pptx?|xlsx?)$", re.IGNORECASE
)

# PDFium keeps global state: two threads in it at once crash the process.
_PDFIUM = Lock()


class PdfReader:
    """Reads a PDF page by page; a page's section holds its text and the break after it.

    Pages without text have no section, so a scan gives an empty text. The title is the
    document's own where it has a usable one, else the file's stem.
    """

    media = Media.PDF
    version = "pdf-1"
    suffixes = frozenset({".pdf"})

    def read(self, data: bytes, *, uri: str) -> ParsedDocument:
        try:
            with _PDFIUM:
                pages, title = _extracted(data)
        except pdfium.PdfiumError as error:
            raise UnreadableFileError(
                f"{uri} cannot be opened as PDF: {_reason(error)}",
                given=uri,
                allowed="an undamaged PDF that opens without a password",
                hint="save a copy without password, or repair the file",
            ) from None
        texts = [_clean(page) for page in pages]
        sections = []
        parts: list[str] = []
        length = 0
        for number, text in enumerate(texts, start=1):
            if not text:
                continue
            text += _PAGE_END
            parts.append(text)
            sections.append(Section(start=length, end=length + len(text), page=number))
            length += len(text)
        return ParsedDocument(
            text="".join(parts),
            title=_usable(title) or PurePosixPath(uri).stem,
            media=self.media,
            sections=tuple(sections),
        )


def _extracted(data: bytes) -> tuple[list[str], str]:
    document: Any = pdfium.PdfDocument(data)  # type: ignore[no-untyped-call]  # pypdfium2 is untyped
    try:
        pages = []
        for index in range(len(document)):
            page = document[index]
            text = page.get_textpage()
            pages.append(text.get_text_bounded(errors="replace"))
            text.close()
            page.close()
        return pages, _title(document)
    finally:
        document.close()


def _title(document: Any) -> str:
    try:
        return str(document.get_metadata_value("Title"))
    except UnicodeError:  # the entry is no UTF-16 after all; the file's name serves
        return ""


def _reason(error: pdfium.PdfiumError) -> str:
    message = str(error)
    return "it needs a password" if "password" in message.lower() else "it is damaged"


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROLS.sub("", _BROKEN_WORD.sub("", text))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def _usable(title: str) -> str:
    title = shortened(_CONTROLS.sub("", title))
    return "" if _NO_TITLE.search(title) else title
