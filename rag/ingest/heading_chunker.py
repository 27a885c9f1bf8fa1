"""Turns a parsed document into chunks that follow its headings."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from rag.errors import InvalidArgumentError
from rag.ingest.identity import chunk_id
from rag.ingest.index_text import index_hash
from rag.ingest.records import Chunk, ParsedDocument, Section, Span
from rag.ingest.text_splitter import SMALL_SHARE, Piece, TextSplitter
from rag.text import TokenCounter

_WORD = re.compile(r"\S")
_ALGORITHM = "heading-1"  # changes whenever the same document would be cut differently


@dataclass(slots=True)
class _Group:
    """A chunk in the making: neighbouring pieces, and the section that names it."""

    start: int
    end: int
    tokens: int
    section: Section
    has_content: bool
    whole_sections: bool


class HeadingChunker:
    """Cuts documents at their headings, then at blank line, line, sentence, word, character.

    - The chunks' texts, joined, are the document's text; none has more than ``max_tokens``.
    - A section over ``target_tokens`` is cut into pieces filled up to the target
      (:class:`~rag.ingest.text_splitter.TextSplitter`).
    - A heading without text below it, and front matter, go with the section that follows.
    - A section under a sixth of the target joins the sibling or parent before it, and the
      short opening words of a section take its first subsection in, up to the target.
      Pages are never joined.
    - The heading path of a chunk is that of its first section with a heading and content.
    - White space goes with its neighbour; a text of nothing else gives no chunk. (Only a run of
      white space that is over the limit by itself makes chunks of its own.)

    Args:
        counter: Measures the limits; its name is part of ``version``.
        target_tokens: Size that a chunk is filled up to.
        max_tokens: Size that no chunk exceeds.
    """

    def __init__(self, counter: TokenCounter, target_tokens: int, max_tokens: int) -> None:
        if not 1 <= target_tokens <= max_tokens:
            raise InvalidArgumentError(
                f"target_tokens {target_tokens} and max_tokens {max_tokens} are out of order",
                given=f"target_tokens={target_tokens}, max_tokens={max_tokens}",
                allowed="1 <= target_tokens <= max_tokens",
            )
        self.version = f"{_ALGORITHM}/{counter.name}/{target_tokens}/{max_tokens}"
        self._target = target_tokens
        self._max = max_tokens
        self._small = target_tokens // SMALL_SHARE
        self._splitter = TextSplitter(counter, target_tokens=target_tokens, max_tokens=max_tokens)

    def chunk(self, parsed: ParsedDocument, *, doc_id: str) -> tuple[Chunk, ...]:
        """Return the chunks of ``parsed`` in document order, ordinals from 0."""
        text = parsed.text
        if not text or text.isspace():
            return ()
        newlines = [match.start() for match in re.finditer("\n", text)]
        chunks: list[Chunk] = []
        for group in self._groups(text, parsed.sections):
            for piece in self._splitter.within_limit(
                text, Piece(group.start, group.end, group.tokens)
            ):
                content = text[piece.start : piece.end]
                content_hash = index_hash(parsed.title, group.section.heading_path, content)
                chunks.append(
                    Chunk(
                        chunk_id=chunk_id(doc_id, self.version, len(chunks), content_hash),
                        doc_id=doc_id,
                        ordinal=len(chunks),
                        text=content,
                        heading_path=group.section.heading_path,
                        span=_span(content, piece.start, group.section, newlines),
                        char_start=piece.start,
                        char_end=piece.end,
                        content_hash=content_hash,
                    )
                )
        return tuple(chunks)

    def _groups(self, text: str, sections: Iterable[Section]) -> list[_Group]:
        groups: list[_Group] = []
        for section in sections:
            body = section.start if section.body_start is None else section.body_start
            has_content = _WORD.search(text, body, section.end) is not None
            pieces = self._pieces(text, section, groups[-1] if groups else None)
            for number, piece in enumerate(pieces):
                new = _Group(
                    start=piece.start,
                    end=piece.end,
                    tokens=piece.tokens,
                    section=section,
                    has_content=has_content,
                    whole_sections=len(pieces) == 1,
                )
                if number == 0 and groups and self._belong_together(groups[-1], new):
                    _extend(groups[-1], new)
                else:
                    groups.append(new)
        return self._without_bare_headings(groups)

    def _pieces(self, text: str, section: Section, last: _Group | None) -> list[Piece]:
        """Return the section's pieces, the first small enough for a bare heading before it."""
        return self._splitter.pieces(
            text,
            section.start,
            section.end,
            section.atomic,
            body_start=section.body_start,
            reserved=0 if last is None or last.has_content else last.tokens,
        )

    def _belong_together(self, last: _Group, new: _Group) -> bool:
        total = last.tokens + new.tokens
        if last.section.page != new.section.page or total > self._max:
            return False
        if not last.has_content:
            return True
        if not (new.has_content and last.whole_sections and new.whole_sections):
            return False
        if total > self._target:
            return False
        path, parent = last.section.heading_path, new.section.heading_path[:-1]
        new_is_small = new.tokens < self._small
        if parent == path:
            return new_is_small or last.tokens < self._small
        return new_is_small and parent == path[:-1]

    def _without_bare_headings(self, groups: list[_Group]) -> list[_Group]:
        """Return the groups with what found no section after it put to the one before."""
        kept: list[_Group] = []
        for group in groups:
            if (
                kept
                and not group.has_content
                and kept[-1].section.page == group.section.page
                and kept[-1].tokens + group.tokens <= self._max
            ):
                _extend(kept[-1], group)
            else:
                kept.append(group)
        return kept


def _extend(group: _Group, new: _Group) -> None:
    if new.has_content and not (group.has_content and group.section.heading_path):
        group.section = new.section
    group.end = new.end
    group.tokens += new.tokens
    group.has_content = group.has_content or new.has_content
    group.whole_sections = group.whole_sections and new.whole_sections


def _span(content: str, start: int, section: Section, newlines: list[int]) -> Span:
    """Return the page, or the lines from the first character to the last that is no white space."""
    if section.page is not None:
        return Span(kind="page", start=section.page, end=section.page)
    last = start + max(len(content.rstrip()) - 1, 0)
    return Span(
        kind="line",
        start=bisect_left(newlines, start) + 1,
        end=bisect_left(newlines, last) + 1,
    )
