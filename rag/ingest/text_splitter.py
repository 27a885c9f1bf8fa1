"""Cuts a stretch of text into pieces that fit a token limit, at the best border there is."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rag.text import TokenCounter

# No pattern here can match more than once from one position over the same characters, so each
# takes linear time on any text; hostile runs of blank lines, dots or brackets included.
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_SENTENCE_LINE = re.compile(r"(?<=[.!?…:;。！？：；])[\"'”’」』）)\]*_`]*\n")
_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’»)\]*_]*[ \t]+|(?<=[。！？；…])[」』”’）]*")
_INDENT = re.compile(r"[ \t]*")
_WORD_BORDERS = re.compile(r"\s+|(?<=[，、；：])")

TAB_COLUMNS = 4
SMALL_SHARE = 6  # a piece under a sixth of the target is a crumb that its neighbour may take
WINDOW_CHARS_PER_TOKEN = 8  # how far to look for a cut: twice an English token's length
ZERO_WIDTH_JOINER = "\u200d"
SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
MAX_MARKS = 32  # combining marks that one character may carry before it is cut regardless


class Piece(NamedTuple):
    """A range of characters and its tokens: counted, or the sum over what it joins."""

    start: int
    end: int
    tokens: int
    counted: bool = False


class TextSplitter:
    """Splits at blank lines, lines, sentences, words, then characters; loses nothing.

    A block (what stands between two blank lines, or an atomic range) is cut only when it is over
    ``max_tokens``. Among blank lines those before the least indented line come first, so code
    falls apart into functions, then methods, then statements. Pieces are filled up to
    ``target_tokens``; a line that ends in a colon stays with what it announces.
    """

    def __init__(self, counter: TokenCounter, *, target_tokens: int, max_tokens: int) -> None:
        self._counter = counter
        self._target = target_tokens
        self._max = max_tokens
        self._small = target_tokens // SMALL_SHARE

    def pieces(
        self,
        text: str,
        start: int,
        end: int,
        atomic: Sequence[tuple[int, int]] = (),
        *,
        body_start: int | None = None,
        reserved: int = 0,
    ) -> list[Piece]:
        """Return pieces that partition ``text[start:end]``, each within the limit.

        What stands before ``body_start`` is a heading, which the first words below it must have
        room for; ``reserved`` tokens more are kept free in the first piece.
        """
        blocks: list[Piece] = []
        for first, last in _parts(text, start, end, _block_cuts(text, start, end, atomic)):
            blocks.extend(self._fitted(text, first, last, 0))
        is_heading = body_start is not None and not text[body_start : blocks[0].end].strip()
        lead = reserved + (blocks[0].tokens if is_heading else 0)
        at = 1 if is_heading else 0
        if at < len(blocks) and lead + blocks[at].tokens > self._max > 2 * lead:
            room = self._max - lead
            tighter = TextSplitter(
                self._counter, target_tokens=min(self._target, room), max_tokens=room
            )
            blocks[at : at + 1] = tighter._fitted(text, blocks[at].start, blocks[at].end, 0)
        return self._packed(text, self._with_announced(text, blocks))

    def within_limit(self, text: str, piece: Piece) -> list[Piece]:
        """Return ``piece``, or its parts where the sum had promised less than there is."""
        if self._counter.count(text[piece.start : piece.end]) <= self._max:
            return [piece]
        return self._forced(text, piece.start, piece.end)

    def _fitted(self, text: str, start: int, end: int, level: int) -> list[Piece]:
        tokens = self._counter.count(text[start:end])
        if tokens <= self._max:
            return [Piece(start, end, tokens, counted=True)]
        for number in range(level, len(_LEVELS)):
            parts = _parts(text, start, end, _LEVELS[number](text, start, end))
            if len(parts) > 1:
                fitted: list[Piece] = []
                for first, last in parts:
                    fitted.extend(self._fitted(text, first, last, number + 1))
                return self._packed(text, fitted)
        return self._forced(text, start, end)

    def _forced(self, text: str, start: int, end: int) -> list[Piece]:
        """Cut where the target is reached, at a word's border if one is near."""
        pieces = []
        while start < end:
            length = min(end - start, self._target * WINDOW_CHARS_PER_TOKEN)
            tokens = self._counter.count(text[start : start + length])
            # In proportion: two or three counts serve, where bisection would take a dozen.
            while tokens > self._target and length > 1:
                length = max(1, min(length - 1, length * self._target // tokens))
                tokens = self._counter.count(text[start : start + length])
            shorter = _border(text, start, length) if start + length < end else length
            if shorter < length:
                length = shorter
                tokens = self._counter.count(text[start : start + length])
            pieces.append(Piece(start, start + length, tokens, counted=True))
            start += length
        return self._packed(text, pieces)

    def _packed(self, text: str, pieces: Iterable[Piece]) -> list[Piece]:
        """Join neighbours up to the target; a crumb goes to its neighbour even beyond it."""
        packed: list[Piece] = []
        for piece in pieces:
            if packed:
                last = packed[-1]
                if last.tokens + piece.tokens > self._target and not last.counted:
                    # a sum over short pieces is well above the count of the whole
                    last = packed[-1] = last._replace(
                        tokens=self._counter.count(text[last.start : last.end]), counted=True
                    )
                total = last.tokens + piece.tokens
                crumb = last.tokens < self._small
                if total <= self._target or (crumb and total <= self._max):
                    packed[-1] = Piece(last.start, piece.end, total)
                    continue
            packed.append(piece)
        if len(packed) > 1 and packed[-1].tokens < self._small:
            total = packed[-2].tokens + packed[-1].tokens
            if total <= self._max:
                packed[-2:] = [Piece(packed[-2].start, packed[-1].end, total)]
        return packed

    def _with_announced(self, text: str, blocks: Iterable[Piece]) -> list[Piece]:
        kept: list[Piece] = []
        for block in blocks:
            if kept and _announces(text, kept[-1]):
                total = kept[-1].tokens + block.tokens
                if total <= self._max:
                    kept[-1] = Piece(kept[-1].start, block.end, total)
                    continue
            kept.append(block)
        return kept


def _blank_line_cuts(text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in _BLANK_LINES.finditer(text, start, end)]


def _least_indented(text: str, cuts: list[int]) -> list[int]:
    if not cuts:
        return cuts
    columns = [_columns(text, at) for at in cuts]
    least = min(columns)
    return [at for at, column in zip(cuts, columns, strict=True) if column == least]


def _columns(text: str, at: int) -> int:
    match = _INDENT.match(text, at)
    return len(match[0].expandtabs(TAB_COLUMNS)) if match else 0


def _outer_blank_line_cuts(text: str, start: int, end: int) -> list[int]:
    return _least_indented(text, _blank_line_cuts(text, start, end))


def _cutter(pattern: re.Pattern[str]) -> Callable[[str, int, int], list[int]]:
    return lambda text, start, end: [match.end() for match in pattern.finditer(text, start, end)]


_LEVELS: tuple[Callable[[str, int, int], list[int]], ...] = (
    # functions, methods, and the blocks in them; three depths, so that time stays linear
    _outer_blank_line_cuts,
    _outer_blank_line_cuts,
    _outer_blank_line_cuts,
    _blank_line_cuts,
    _cutter(_SENTENCE_LINE),
    _cutter(_LINE),
    _cutter(_SENTENCE),
)


def _block_cuts(text: str, start: int, end: int, atomic: Sequence[tuple[int, int]]) -> list[int]:
    """Return the cuts between blocks: blank lines outside atomic ranges, and the ranges' ends."""
    cuts = _blank_line_cuts(text, start, end)
    if not atomic:
        return _least_indented(text, cuts)
    starts = [first for first, _ in atomic]
    outside = []
    for at in cuts:
        before = bisect_right(starts, at) - 1
        if before < 0 or not atomic[before][0] < at < atomic[before][1]:
            outside.append(at)
    borders = {at for pair in atomic for at in pair}
    return sorted(borders | set(_least_indented(text, outside)))


def _parts(text: str, start: int, end: int, cuts: Iterable[int]) -> list[tuple[int, int]]:
    """Return the ranges between cuts; one that is only white space goes with its neighbour."""
    parts: list[tuple[int, int]] = []
    blank_from: int | None = None
    for at in (*cuts, end):
        if not start < at <= end:
            continue
        if text[start:at].isspace():
            if parts:
                parts[-1] = (parts[-1][0], at)
            elif blank_from is None:
                blank_from = start
        else:
            parts.append((start if blank_from is None else blank_from, at))
            blank_from = None
        start = at
    if blank_from is not None:
        parts.append((blank_from, end))
    return parts


def _announces(text: str, piece: Piece) -> bool:
    at = piece.end - 1
    while at > piece.start and text[at].isspace():
        at -= 1
    return text[at] in ":："


def _border(text: str, start: int, length: int) -> int:
    """Return ``length``, or somewhat less where that does not cut a word or a character."""
    cut = start + length
    nearest = 0
    # one character more, to see whether a word ends just at the cut
    for match in _WORD_BORDERS.finditer(text, start + max(1, length // 2), cut + 1):
        nearest = min(match.end(), cut)
    if nearest:
        return nearest - start
    for back in range(min(MAX_MARKS, length - 1)):
        if not _continues_character(text, cut - back):
            return length - back
    return length


def _continues_character(text: str, at: int) -> bool:
    """Tell whether the character at ``at`` is drawn as part of the one before it."""
    if ZERO_WIDTH_JOINER in (text[at - 1], text[at]):
        return True
    # marks and variation selectors; skin tones are symbols of their own kind
    return unicodedata.category(text[at]) in {"Mn", "Mc", "Me"} or text[at] in SKIN_TONES
