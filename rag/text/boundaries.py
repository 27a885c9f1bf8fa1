"""Where a text may be cut without hurting a sentence or a character."""

from __future__ import annotations

import unicodedata

_ENDS = ("\n", ". ", "! ", "? ", "。", "！", "？")
_JOINER = "\u200d"


def line_or_sentence_start(text: str, low: int, high: int) -> int | None:
    """Return the last start of a line or sentence in ``low..high``, or None."""
    best = -1
    for mark in _ENDS:
        at = text.rfind(mark, max(0, low - len(mark)), high)
        if at >= 0 and at + len(mark) > best:
            best = at + len(mark)
    return best if best >= low else None


def line_or_sentence_end(text: str, low: int, high: int) -> int | None:
    """Return the last end of a line or sentence in ``low..high``, or None.

    The end of a sentence is after its full stop, the end of a line before its break.
    """
    best = -1
    for mark in _ENDS:
        at = text.rfind(mark, low, high + 1)
        if at >= 0:
            best = max(best, at if mark == "\n" else at + 1)
    return best if low < best <= high else None


def whole_character(text: str, at: int, *, least: int = 0) -> int:
    """Return ``at`` or the nearest position before it, not below ``least``, that cuts no character.

    A cut never stands before a combining mark, a variation selector, a joiner or what it joins,
    nor inside a pair of surrogates.
    """
    while least < at < len(text):
        char = text[at]
        if char.isascii() and text[at - 1] != _JOINER:
            return at
        if not (
            char == _JOINER
            or text[at - 1] == _JOINER
            or "\udc00" <= char <= "\udfff"
            or unicodedata.category(char)[0] == "M"
        ):
            return at
        at -= 1
    return at
