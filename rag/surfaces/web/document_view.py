"""A document as a page: numbered lines or pages, with the cited part marked."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

from markupsafe import Markup

from rag.surfaces.web.safe_text import marked
from rag.text import Analyzer, make_snippet
from rag.wire.base_reports import DocumentInspection, InspectedChunk

MAX_ROWS = 1_000  # lines on one page; more slow a browser down
BEFORE = 60  # lines shown before the cited ones when the document is longer than a page


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """A line, or a piece of a page; ``heading`` is there where a chunk begins."""

    number: int
    text: Markup
    cited: bool
    heading: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentView:
    """The part of a document that one page shows; ``first`` and ``last`` are row numbers."""

    unit: str
    rows: tuple[TextRow, ...]
    first: int
    last: int
    total: int

    @property
    def before(self) -> int | None:
        """Where the page before this one begins."""
        return None if self.first <= 1 else max(1, self.first - MAX_ROWS)

    @property
    def after(self) -> int | None:
        """Where the page after this one begins."""
        return None if self.last >= self.total else self.last + 1


def view_document(
    inspection: DocumentInspection,
    *,
    start: int | None,
    end: int | None,
    at: int | None,
    query: str,
    analyzer: Analyzer,
) -> DocumentView:
    """Return the page of a document that holds its cited lines, or that begins at row ``at``."""
    chunks = inspection.chunks
    paged = bool(chunks) and chunks[-1].chunk.span.kind == "page"
    rows = _pieces(chunks) if paged else _lines(chunks)
    cited = _cited(rows, start, end)
    if at is None:
        at = 1 if not cited or len(rows) <= MAX_ROWS else max(1, cited[0] - BEFORE)
    first = min(max(1, at), max(1, len(rows)))
    last = min(len(rows), first + MAX_ROWS - 1)
    terms = analyzer.query_terms(query) if query.strip() else []
    shown = []
    for place in range(first, last + 1):
        number, text, heading = rows[place - 1]
        inside = place in cited
        matches = _matches(text, terms, analyzer) if inside and terms else ()
        shown.append(
            TextRow(number=number, text=marked(text, matches), cited=inside, heading=heading)
        )
    return DocumentView(
        unit="page" if paged else "line",
        rows=tuple(shown),
        first=first,
        last=last,
        total=len(rows),
    )


_Row = tuple[int, str, str | None]


def _lines(chunks: tuple[InspectedChunk, ...]) -> list[_Row]:
    """Return every line with its number; a chunk's headings stand where it begins."""
    text = "".join(one.chunk.text for one in chunks)
    headings: dict[int, str] = {}
    for one in chunks:
        if one.chunk.heading_path:
            headings.setdefault(one.chunk.span.start, " › ".join(one.chunk.heading_path))
    lines = StringIO(text, newline="\n").readlines()
    return [(n, line.rstrip("\n"), headings.get(n)) for n, line in enumerate(lines, start=1)]


def _pieces(chunks: tuple[InspectedChunk, ...]) -> list[_Row]:
    """Return a row for each chunk with the page that it begins on."""
    return [
        (one.chunk.span.start, one.chunk.text.strip("\n\f"), " › ".join(one.chunk.heading_path))
        for one in chunks
    ]


def _cited(rows: list[_Row], start: int | None, end: int | None) -> range | list[int]:
    if start is None:
        return []
    last = end if end is not None else start
    return [place for place, row in enumerate(rows, start=1) if start <= row[0] <= last]


def _matches(text: str, terms: list[str], analyzer: Analyzer) -> tuple[tuple[int, int], ...]:
    return make_snippet(text, terms, analyzer, max(1, len(text))).matches
