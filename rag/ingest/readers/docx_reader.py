"""DOCX: paragraphs, headings by style, lists and tables in document order."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import docx
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types

from rag.errors import UnreadableFileError
from rag.ingest.front_matter import language_code
from rag.ingest.readers.text_builder import LINE, PARAGRAPH, TextBuilder
from rag.ingest.records import Media, ParsedDocument
from rag.ingest.section_tree import shortened

_HEADING_STYLE = re.compile(r"heading ?([1-9])$")
_PARAGRAPH = qn("w:p")
_TABLE = qn("w:tbl")
_PROPERTIES = qn("w:pPr")
_WRAPPERS = frozenset(map(qn, ("w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml")))
_GALLERY = f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}"
_SPACES = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
# properties hold tab stops, moved text stands again where it went, a fallback repeats a drawing
_LEFT_OUT = frozenset(
    (
        *map(qn, ("w:pPr", "w:rPr", "w:del", "w:moveFrom", "w:instrText")),
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    )
)
# what the zip, XML and package layers raise on damaged files; found by flipping bytes
_DAMAGE = (
    OpcError,
    zipfile.BadZipFile,
    zlib.error,
    etree.LxmlError,
    KeyError,
    ValueError,
    RuntimeError,
    EOFError,
    AttributeError,
    TypeError,
)
BODY_TEXT_LEVEL = 9  # the outline level that Word calls body text
MAX_UNPACKED_BYTES = 500_000_000  # a zip bomb unpacks to more; a thousand pages to about 10 MB
MAX_LIST_DEPTH = 9  # as deep as Word numbers


class DocxReader:
    """Reads the body of a Word document; no headers, footers, comments or deleted text.

    Headings are paragraphs in a style ``Heading 1`` to ``Heading 9`` (or derived from one, or
    with an outline level); ``Title`` is the title. A table row is a line, its cells parted by
    `` | ``. Lines count the extracted text.
    """

    media = Media.DOCX
    version = "docx-1"
    suffixes = frozenset({".docx"})

    def read(self, data: bytes, *, uri: str) -> ParsedDocument:
        document = _opened(data, uri)
        styles = _styles(document)
        builder = TextBuilder()
        title = ""
        for child in _blocks(document.element.body):
            if child.tag == _TABLE:
                _append_table(child, builder)
                continue
            text = _text(child)
            style = styles.get(_value(child, f"{_PROPERTIES}/{qn('w:pStyle')}"), _PLAIN)
            title = title or (text if style.is_title else "")
            level = _outline_level(child) or style.level
            if level:
                builder.open_heading()
                builder.words(text)
                builder.close_heading(level)
            else:
                _append_paragraph(child, text, builder, is_list=style.is_list)
        properties = document.core_properties
        return builder.document(
            title=shortened(title)
            or shortened(properties.title)
            or builder.first_heading()
            or PurePosixPath(uri).stem,
            media=self.media,
            language=language_code(properties.language),
        )


def _opened(data: bytes, uri: str) -> WordDocument:
    problem = "it is damaged or no Word document"
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(item.file_size for item in archive.infolist())
        if unpacked > MAX_UNPACKED_BYTES:
            problem = f"it unpacks to {unpacked} bytes, over {MAX_UNPACKED_BYTES}"
        else:
            document = docx.Document(io.BytesIO(data))
            # touched here, because a part of the wrong kind shows only when it is asked for
            if document.element.body is not None and document.styles and document.core_properties:
                return document
    except _DAMAGE as error:
        if data.startswith(b"\xd0\xcf\x11\xe0"):
            problem = "it needs a password, or is of the older .doc kind"
        elif str(error):
            problem = f"{problem} ({shortened(str(error))})"
    raise UnreadableFileError(
        f"{uri} cannot be opened as DOCX: {problem}",
        given=uri,
        allowed="an undamaged .docx that opens without a password",
        hint="save a copy as .docx without password",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    level: int = 0
    is_title: bool = False
    is_list: bool = False


_PLAIN = _Style()


def _styles(document: WordDocument) -> dict[str, _Style]:
    """Return what each style id stands for; built-in names are English in every language."""
    own: dict[str, tuple[_Style, str]] = {}
    for element in document.styles.element.iterchildren(qn("w:style")):
        name = _value(element, qn("w:name")).lower()
        heading = _HEADING_STYLE.match(name)
        own[element.get(qn("w:styleId"), "")] = (
            _Style(
                level=int(heading[1]) if heading else _outline_level(element),
                is_title=name == "title",
                is_list=name.startswith("list")
                or element.find(f"{_PROPERTIES}/{qn('w:numPr')}") is not None,
            ),
            _value(element, qn("w:basedOn")),
        )
    resolved = {}
    for style_id in own:
        at, seen = style_id, set[str]()
        while own[at][0] == _PLAIN and own[at][1] in own and at not in seen:
            seen.add(at)
            at = own[at][1]
        resolved[style_id] = own[at][0]
    return resolved


def _outline_level(element: etree._Element) -> int:
    """Return the heading rank that paragraph properties set by themselves, 0 for none."""
    level = _value(element, f"{_PROPERTIES}/{qn('w:outlineLvl')}")
    return int(level) + 1 if level.isdecimal() and int(level) < BODY_TEXT_LEVEL else 0


def _value(element: etree._Element, path: str) -> str:
    found = element.find(path)
    return "" if found is None else found.get(qn("w:val"), "")


def _blocks(body: etree._Element) -> Iterator[etree._Element]:
    """Yield paragraphs and tables in order, those in content controls too, contents lists not."""
    stack = list(reversed(body))
    while stack:
        child = stack.pop()
        if child.tag in {_PARAGRAPH, _TABLE}:
            yield child
        elif child.tag in _WRAPPERS and _value(child, _GALLERY) != "Table of Contents":
            stack.extend(reversed(child))


def _text(element: etree._Element) -> str:
    """Return the words of a paragraph or cell as they stand now: insertions yes, deletions no."""
    parts = []
    stack = list(reversed(element))
    while stack:
        child = stack.pop()
        if child.tag == qn("w:t"):
            parts.append(child.text or "")
        elif child.tag in _SPACES:
            parts.append(_SPACES[child.tag])
        elif child.tag not in _LEFT_OUT:
            if child.tag == _PARAGRAPH and parts:
                parts.append(" ")
            stack.extend(reversed(child))
    return "".join(parts)


def _append_paragraph(
    element: etree._Element, text: str, builder: TextBuilder, *, is_list: bool
) -> None:
    numbering = element.find(f"{_PROPERTIES}/{qn('w:numPr')}")
    if not text.strip():
        builder.end(PARAGRAPH)
    elif is_list or numbering is not None:
        depth = "" if numbering is None else _value(numbering, qn("w:ilvl"))
        builder.end(LINE)
        builder.open_atomic()
        builder.bullet(min(int(depth), MAX_LIST_DEPTH) if depth.isdecimal() else 0)
        builder.words(text)
        builder.close_atomic()
        builder.end(LINE)
    else:
        builder.end(PARAGRAPH)
        for line in text.split("\n"):
            builder.words(line)
            builder.end(LINE)
        builder.end(PARAGRAPH)


def _append_table(table: etree._Element, builder: TextBuilder) -> None:
    builder.end(PARAGRAPH)
    builder.open_atomic()
    for row in table.iterchildren(qn("w:tr")):
        cells = [" ".join(_text(cell).split()) for cell in row.iterchildren(qn("w:tc"))]
        if any(cells):
            builder.verbatim(" | ".join(cells))
            builder.end(LINE)
    builder.close_atomic()
    builder.end(PARAGRAPH)
