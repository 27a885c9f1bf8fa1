"""reStructuredText: headings by their adornment, literal blocks and tables kept whole."""

from __future__ import annotations

import re
from itertools import accumulate
from pathlib import PurePosixPath

from rag.ingest.records import Media, ParsedDocument
from rag.ingest.section_tree import Heading, sections_from_headings, shortened
from rag.ingest.text_decoding import decode_text

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*$")
_BLOCK_START = re.compile(r"\.\. .*::|.*::[ \t]*$")
_ROLE = re.compile(r":[\w:.+-]+:`([^`<]*?)(?:[ \t]*<[^`>]*>)?`")
_LINK = re.compile(r"`([^`<]*?)(?:[ \t]*<[^`>]*>)?`__?")
_MARKUP = re.compile(r"``|\*\*|(?<!\w)[*`|]|[*`|](?!\w)")
_MIN_ADORNMENT = 3  # shorter lines of punctuation are ellipses and the like
_WIDE = re.compile(
    r"[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]"
)


class RstReader:
    """Reads reStructuredText without a parser for its roles and directives.

    A heading is a line at the margin with an adornment of one punctuation character below it, at
    least as wide, and perhaps the same above it. Ranks follow the order in which the adornments
    first appear, as in docutils. The text stays the file's own.
    """

    media = Media.RST
    version = "rst-1"
    suffixes = frozenset({".rst", ".rest"})

    def read(self, data: bytes, *, uri: str) -> ParsedDocument:
        text = decode_text(data, uri=uri)
        lines = text.split("\n")
        offsets = [
            min(at, len(text)) for at in accumulate((len(line) + 1 for line in lines), initial=0)
        ]
        headings = _headings(lines, offsets)
        title = next((shortened(item.name) for item in headings if item.name), None)
        return ParsedDocument(
            text=text,
            title=title or PurePosixPath(uri).stem,
            media=self.media,
            sections=sections_from_headings(text, headings, atomic=_indented(lines, offsets)),
        )


def _headings(lines: list[str], offsets: list[int]) -> list[Heading]:
    found = []
    ranks: dict[tuple[str, bool], int] = {}
    number = 0
    while number < len(lines) - 1:
        above = number > 0 and bool(lines[number - 1].strip())
        if _is_adornment(lines[number]) and not above and number + 2 < len(lines):
            title, under, overlined, size = lines[number + 1], lines[number + 2], True, 3
            fits = under.rstrip() == lines[number].rstrip()
        else:
            title, under, overlined, size = lines[number], lines[number + 1], False, 2
            fits = not above and not title.startswith((" ", "\t"))
        fits = fits and bool(title.strip()) and not _is_adornment(title)
        if fits and _is_adornment(under) and len(under.rstrip()) >= _width(title.strip()):
            rank = ranks.setdefault((under[0], overlined), len(ranks) + 1)
            found.append(
                Heading(
                    start=offsets[number],
                    body_start=offsets[number + size],
                    level=rank,
                    name=_plain(title),
                )
            )
            number += size
        else:
            number += 1
    return found


def _is_adornment(line: str) -> bool:
    return len(line.rstrip()) >= _MIN_ADORNMENT and _ADORNMENT.match(line) is not None


def _width(title: str) -> int:
    """Return the columns a title takes: docutils counts East Asian characters as two."""
    return len(title) + len(_WIDE.findall(title))


def _plain(title: str) -> str:
    title = _LINK.sub(r"\1", _ROLE.sub(r"\1", title))
    return " ".join(_MARKUP.sub("", title).split())


def _indented(lines: list[str], offsets: list[int]) -> list[tuple[int, int]]:
    """Return the ranges of literal blocks and directives: a ``::`` line and what it indents."""
    ranges = []
    number = 0
    while number < len(lines):
        line = lines[number]
        if not _BLOCK_START.match(line):
            number += 1
            continue
        margin = len(line) - len(line.lstrip())
        last = number
        following = number + 1
        while following < len(lines):
            inner = lines[following]
            if inner.strip():
                if len(inner) - len(inner.lstrip()) <= margin:
                    break
                last = following
            following += 1
        if last > number:
            ranges.append((offsets[number], offsets[last + 1]))
        number = following
    return ranges
