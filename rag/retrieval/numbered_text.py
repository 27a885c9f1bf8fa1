"""A document's text by the numbers that its citations use: lines, or pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from rag.errors import InvalidArgumentError
from rag.ingest.records import Span, SpanKind
from rag.ranking.records import StoredChunk

_FRAGMENT = re.compile(r"#(?:L(\d{1,9})(?:-L(\d{1,9}))?|p=(\d{1,9})(?:-(\d{1,9}))?)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedText:
    """Text in pieces: ``numbers[i]``, from 1 and never falling, is the line or page of piece i.

    A line is one piece; a page may be several.
    """

    unit: SpanKind
    numbers: tuple[int, ...]
    pieces: tuple[str, ...]

    @classmethod
    def of_chunks(cls, chunks: Sequence[StoredChunk]) -> NumberedText:
        """Return the text of a document's chunks, which are given in document order."""
        if chunks and chunks[0].span.kind == "page":
            return cls(
                unit="page",
                numbers=tuple(chunk.span.start for chunk in chunks),
                pieces=tuple(chunk.text for chunk in chunks),
            )
        # StringIO breaks at \n alone, as readers count; splitlines would at \f and \x85 too
        text = StringIO("".join(chunk.text for chunk in chunks), newline="\n")
        lines = tuple(text)
        return cls(unit="line", numbers=tuple(range(1, len(lines) + 1)), pieces=lines)

    @property
    def last(self) -> int:
        """The number of the last piece, 0 where there is none."""
        return self.numbers[-1] if self.numbers else 0

    def between(self, start: int, end: int) -> NumberedText:
        """Return the pieces numbered ``start`` to ``end``, both included."""
        chosen = [i for i, number in enumerate(self.numbers) if start <= number <= end]
        return NumberedText(
            unit=self.unit,
            numbers=tuple(self.numbers[i] for i in chosen),
            pieces=tuple(self.pieces[i] for i in chosen),
        )

    def text(self) -> str:
        """Return the pieces as one text."""
        return "".join(self.pieces)

    def number_at(self, length: int) -> int | None:
        """Return the number of the piece that holds the last of ``length`` characters."""
        if length <= 0:
            return None
        for number, piece in zip(self.numbers, self.pieces, strict=True):
            length -= len(piece)
            if length <= 0:
                return number
        return self.last or None


def parse_ref(ref: str) -> tuple[str, Span]:
    """Return the path and span of a citation such as ``guide/a.md#L7-L12`` or ``b.pdf#p=3``.

    Raises:
        InvalidArgumentError: it has no such ending, or one that is no span.
    """
    found = _FRAGMENT.search(ref)
    first_line, last_line, first_page, last_page = found.groups() if found else (None,) * 4
    first, last = first_line or first_page, last_line or last_page
    if found is None or first is None:
        raise InvalidArgumentError(
            f"{ref!r:.200} does not say where its span begins",
            given=ref,
            allowed="a path with start and end, or a citation such as guide/a.md#L7-L12",
            hint="give start, and end for more than one line; or fetch the whole document",
        )
    if not 1 <= int(first) <= int(last or first):
        raise InvalidArgumentError(
            f"the span of {ref!r:.200} ends before it starts"
            if int(first)
            else f"the span of {ref!r:.200} starts at 0; lines and pages count from 1",
            given=ref,
            allowed="1 <= start <= end",
            hint="take the citation as a result gives it",
        )
    kind: SpanKind = "line" if first_line else "page"
    return ref[: found.start()], Span(kind=kind, start=int(first), end=int(last or first))
