"""Builds the extracted text of a document whose format is not text, with its structure."""

from __future__ import annotations

from rag.ingest.records import Media, ParsedDocument
from rag.ingest.section_tree import Heading, sections_from_headings, shortened

LINE = 1
PARAGRAPH = 2
LIST_INDENT = "  "


class TextBuilder:
    """Appends words and breaks; remembers where headings and atomic ranges stand.

    Breaks are wishes: several in a row give the largest, none stands at either end of the text,
    and none parts a bullet from its words. Headings and atomic ranges begin at their first word.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._break = 0
        self._space = False
        self._after_bullet = False
        self._headings: list[Heading] = []
        self._heading_parts: list[str] | None = None
        self._heading_from: int | None = None
        self._atomic: list[tuple[int, int]] = []
        self._atomic_depth = 0
        self._atomic_from: int | None = None

    def words(self, text: str) -> None:
        """Append running text, white space collapsed as a browser does."""
        inner = " ".join(text.split())
        if not inner:
            self._space = self._space or bool(text)
            return
        spaced = (self._space or text[0].isspace()) and not self._break
        inside_line = bool(self._parts) and not self._parts[-1][-1].isspace()
        self._append(" " + inner if spaced and inside_line else inner)
        self._space = text[-1].isspace()

    def verbatim(self, text: str) -> None:
        """Append text as it is, white space and all."""
        if text:
            self._append(text)
            self._space = False

    def bullet(self, depth: int) -> None:
        """Begin a list item, ``depth`` levels in from the margin."""
        self.verbatim(LIST_INDENT * depth + "- ")
        self._after_bullet = True

    def end(self, size: int) -> None:
        """End the line (``LINE``), or the paragraph (``PARAGRAPH``, a blank line)."""
        if not self._after_bullet:
            self._break = max(self._break, size)
            self._space = False

    def open_heading(self) -> None:
        self.end(PARAGRAPH)
        if self._heading_parts is None:  # else a heading in a heading, which is one heading
            self._heading_parts = []
            self._heading_from = None

    def close_heading(self, level: int) -> None:
        start, name = self._heading_from, "".join(self._heading_parts or ()).strip()
        self._heading_parts = None
        if start is not None and name:
            self._headings.append(
                Heading(start=start, body_start=self._length, level=level, name=name)
            )
        self.end(PARAGRAPH)

    def open_atomic(self) -> None:
        """Begin a range that a chunker keeps whole; of nested ones the outermost counts."""
        if self._atomic_depth == 0:
            self._atomic_from = None
        self._atomic_depth += 1

    def close_atomic(self) -> None:
        self._atomic_depth -= 1
        if self._atomic_depth == 0 and self._atomic_from is not None:
            self._atomic.append((self._atomic_from, self._length))

    def first_heading(self) -> str | None:
        """Return the first heading of the highest rank, None where there is no heading."""
        if not self._headings:
            return None
        return shortened(min(self._headings, key=lambda heading: heading.level).name)

    def document(self, *, title: str, media: Media, language: str | None = None) -> ParsedDocument:
        """Return the document; its text ends without a break."""
        text = "".join(self._parts)
        return ParsedDocument(
            text=text,
            title=title,
            media=media,
            sections=sections_from_headings(text, self._headings, atomic=self._atomic),
            language=language,
        )

    def _append(self, text: str) -> None:
        if self._break and self._parts:
            there = self._parts[-1].endswith("\n")
            self._write("\n" * (self._break - there))
        self._break = 0
        self._after_bullet = False
        if self._atomic_depth and self._atomic_from is None:
            self._atomic_from = self._length
        if self._heading_parts is not None and self._heading_from is None:
            self._heading_from = self._length
        self._write(text)

    def _write(self, text: str) -> None:
        if not text:
            return
        self._parts.append(text)
        self._length += len(text)
        if self._heading_parts is not None:
            self._heading_parts.append(text)
