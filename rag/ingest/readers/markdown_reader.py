"""Markdown: CommonMark with tables, front matter, heading tree."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.ingest.front_matter import FrontMatter, read_front_matter
from rag.ingest.records import Media, ParsedDocument
from rag.ingest.section_tree import Heading, sections_from_headings, shortened, uncut
from rag.ingest.text_decoding import decode_text

_ANCHOR = re.compile(r"[ \t]*\{:?[ \t]*[#.][^{}]*\}[ \t]*$")  # {#id}, { #id .class }, {: #id}
_MARKUP = re.compile(r"[\\`*_\[\]<>&!~]")
MAX_HEADING_SOURCE = 2_000  # ten times what is kept; inline parsing of a megabyte takes long
_CONTAINER = re.compile(r"(/{3,}|:{3,})[ \t]*(.*)$")  # admonitions: /// note … ///, ::: tip … :::
_ATOMIC_TOKENS = frozenset({"fence", "code_block", "html_block", "blockquote_open"})
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")


class MarkdownReader:
    """Reads Markdown by its block structure; the text stays the file's own, front matter too.

    Only headings at the top level count, not those inside quotes, lists or code.
    The title is the front matter's, else the first heading of rank 1, else the file's stem.
    """

    media = Media.MARKDOWN
    version = "markdown-1"
    suffixes = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd"})

    def __init__(self) -> None:
        self._blocks = MarkdownIt("commonmark")
        # Block structure is all that sections need, and inline parsing is four fifths of the time.
        self._blocks.core.ruler.enableOnly(["block"])
        self._inline = MarkdownIt("commonmark")

    def read(self, data: bytes, *, uri: str) -> ParsedDocument:
        return self.parse(decode_text(data, uri=uri), uri=uri)

    def parse(self, text: str, *, uri: str) -> ParsedDocument:
        """Return the document of a text that is decoded already, with ``\\n`` line ends."""
        front = read_front_matter(text)
        lines = text.split("\n")
        # offsets[i] is where line i begins; one more for the end of the last line
        offsets = [
            min(at, len(text)) for at in accumulate((len(line) + 1 for line in lines), initial=0)
        ]
        tokens = self._blocks.parse(_without(front, text))
        headings = self._headings(tokens, offsets)
        code = _code_lines(tokens)
        atomic = _joined(
            [
                *_token_ranges(tokens, offsets),
                *_tables(lines, code, offsets, {heading.start for heading in headings}),
                *uncut(_containers(lines, code, offsets), headings),
            ]
        )
        return ParsedDocument(
            text=text,
            title=front.title or _first_title(headings) or PurePosixPath(uri).stem,
            media=self.media,
            sections=sections_from_headings(
                text, headings, atomic=atomic, front_matter_end=front.end
            ),
            language=front.language,
            tags=front.tags,
            trust=front.trust,
            source_type=front.source_type,
        )

    def _headings(self, tokens: list[Token], offsets: list[int]) -> list[Heading]:
        found = []
        for token, inside in pairwise(tokens):
            if token.type == "heading_open" and token.level == 0 and token.map:
                found.append(
                    Heading(
                        start=offsets[token.map[0]],
                        body_start=offsets[token.map[1]],
                        level=int(token.tag[1:]),
                        name=self._plain(inside.content),
                    )
                )
        return found

    def _plain(self, source: str) -> str:
        """Return the words of a heading: no anchor, no emphasis, links as their text."""
        source = _ANCHOR.sub("", source[:MAX_HEADING_SOURCE])
        if not _MARKUP.search(source):
            return " ".join(source.split())
        parts = []
        for block in self._inline.parseInline(source):
            for token in block.children or ():
                if token.type in {"text", "code_inline", "image"}:
                    parts.append(token.content)
                elif token.type in {"softbreak", "hardbreak"}:
                    parts.append(" ")
        return " ".join("".join(parts).split())


def _without(front: FrontMatter, text: str) -> str:
    # Blank lines in its place keep the line numbers of all that follows.
    return "\n" * text.count("\n", 0, front.end) + text[front.end :]


def _first_title(headings: list[Heading]) -> str | None:
    return next((shortened(item.name) for item in headings if item.level == 1 and item.name), None)


def _token_ranges(tokens: list[Token], offsets: list[int]) -> list[tuple[int, int]]:
    return [
        (offsets[token.map[0]], offsets[token.map[1]])
        for token in tokens
        if token.map
        and (
            (token.level == 0 and token.type in _ATOMIC_TOKENS)
            or (token.level == 1 and token.type == "list_item_open")
        )
    ]


def _code_lines(tokens: list[Token]) -> set[int]:
    return {
        line
        for token in tokens
        if token.map and token.type in {"fence", "code_block"}
        for line in range(*token.map)
    }


def _tables(
    lines: list[str], code: set[int], offsets: list[int], headings: set[int]
) -> list[tuple[int, int]]:
    """Return the ranges of pipe tables: a row, a rule of dashes, rows up to a blank line.

    The parser's own table rule makes tokens of every cell and takes a second for 10,000 rows.
    """
    found = []
    number = 1
    while number < len(lines):
        rule = lines[number]
        number += 1
        if "|" not in rule or "|" not in lines[number - 2] or not _TABLE_RULE.match(rule):
            continue
        if number - 1 in code:
            continue
        first = number - 2
        while number < len(lines) and lines[number].strip() and offsets[number] not in headings:
            number += 1
        found.append((offsets[first], offsets[number]))
    return found


def _containers(lines: list[str], code: set[int], offsets: list[int]) -> list[tuple[int, int]]:
    """Return the ranges of fenced containers that are closed."""
    found = []
    open_marks: list[tuple[str, int]] = []
    for number, line in enumerate(lines):
        match = _CONTAINER.match(line)
        if match is None or number in code:
            continue
        if match[2]:
            open_marks.append((match[1], number))
        else:
            while open_marks:
                mark, first = open_marks.pop()
                if mark == match[1]:
                    found.append((offsets[first], offsets[number + 1]))
                    break
    return found


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges ascending and disjoint; those that overlap become one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
