"""The words of a chunk, as near-duplicate detection compares them."""

from __future__ import annotations

import re
from itertools import pairwise

# Code points from which to which; the ranges are read by word_signatures as well.
LAST_SPACE = 0x20  # this and all before it
LAST_ASCII = 0x7F
SPACES = ((0x80, 0xA0), (0x1680, 0x1680), (0x2000, 0x200B), (0x2028, 0x2029))  # and beyond ASCII
UNSPACED = (  # scripts written without spaces between words, with their punctuation
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3000, 0x9FFF),  # Kana, Han
    (0xF900, 0xFAFF),  # Han, compatibility forms
    (0xFF00, 0xFFEF),  # full-width and half-width forms
    (0x20000, 0x3FFFF),  # Han, rare
)


def _class(ranges: tuple[tuple[int, int], ...]) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


_ASCII_WORD = re.compile("[^\\0-\\x20]+")
_RUN = re.compile(f"[^{_class(((0, LAST_SPACE), *SPACES, *UNSPACED))}]+|[{_class(UNSPACED)}]+")
_UNSPACED = re.compile(f"[{_class(UNSPACED)}]")
_FIRST_UNSPACED = chr(UNSPACED[0][0])
# A number, date or version at the start; or a joint inside, as in fastapi.File, max_size, a/b, x=1.
_NAME = re.compile(r"\W*v?\d|.*\w[._/:=@]+\w|.*`")


def word_set(text: str) -> set[str]:
    """Return the distinct words of a text as they are written, punctuation with its word.

    Writing without spaces, such as Chinese, counts as its overlapping pairs of characters.
    """
    if text.isascii():
        return set(_ASCII_WORD.findall(text))
    words: set[str] = set()
    for run in _RUN.findall(text):
        if run[0] >= _FIRST_UNSPACED and _UNSPACED.match(run):
            words.update(map("".join, pairwise(run)))
        else:
            words.add(run)
    return words


def is_name(word: str) -> bool:
    """Whether a word names one thing: a number, version, identifier, path or address."""
    return _NAME.match(word) is not None
