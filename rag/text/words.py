"""Where words begin and end, and how an identifier is kept whole and also split."""

from __future__ import annotations

import re
from typing import NamedTuple

# Scripts written without spaces between words, as ranges of a character class. Of the folded
# text only: half-width kana and compatibility ideographs are gone by then.
UNSPACED = (
    "\u0e01-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"  # Hangul
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Kana
    "\u3005-\u3007\u3105-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff"  # Han, Bopomofo
    "\U00020000-\U0003ffff"
)
# In folded text every non-ASCII character belongs to a word, so this is "letter, mark or digit".
_WORD = rf"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f{UNSPACED}]"
_ASCII_WORD = "[A-Za-z0-9]"


def _compound(char: str) -> str:
    """Return the pattern of a word with what keeps it together: foo_bar, v1.2.3, C++, @nasa."""
    return (
        rf"(?:(?<![^\s\"'`(\[])[.@](?={char}))?"  # .NET, @nasa: at the start of a word only
        rf"{char}+(?:(?:[./'@&-]|_+){char}+)*"
        rf"(?:\+\+|\#(?!{char}))?"  # C++, C#
    )


ASCII_WORDS = re.compile(_compound(_ASCII_WORD))
# Emphasis and code marks of Markdown, which stand inside words where there are no spaces:
# 声明**请求体** reads 声明请求体, and nobody who asks types them. A single tilde is a range.
_RUN = rf"[{UNSPACED}]+(?:(?:[*`]{{1,4}}|~~)[{UNSPACED}]+)*"
MARKS = re.compile("[*`~]+")
# Group 1 is a word, group 2 a run of a script without spaces.
WORDS = re.compile(rf"({_compound(_WORD)})|({_RUN})")

_JOINTS = re.compile(r"[./'@&_+#-]+")
_OUTER_JOINTS = re.compile(r"[./@]+")  # a path or dotted name, whose members may be compound too
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z\d]+|[A-Z]|\d+")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
# Random strings (base64, hashes) have humps of two letters; names that people write do not.
_LEAST_HUMP = 3
# Longer words are data, not language; they are known by their beginning.
LONGEST_TERM = 64


class Piece(NamedTuple):
    """A part of a word: its range in the word, and whether it is a plain word to be stemmed."""

    start: int
    end: int
    plain: bool


def _members(word: str, joints: re.Pattern[str], start: int, end: int) -> list[tuple[int, int]]:
    members, at = [], start
    for joint in joints.finditer(word, start, end):
        if joint.start() > at:
            members.append((at, joint.start()))
        at = joint.end()
    if at < end:
        members.append((at, end))
    return members


def _humps(word: str, start: int, end: int) -> list[tuple[int, int]]:
    if end - start > LONGEST_TERM or not _CAMEL.search(word, start, end):
        return []
    humps = [match.span() for match in _HUMPS.finditer(word, start, end)]
    return humps if len(humps) > 1 and end - start >= _LEAST_HUMP * len(humps) else []


def split_word(word: str) -> list[Piece]:
    """Return the pieces of a word as the patterns above find it, the whole first.

    ``getHTTPResponse`` gives itself, get, HTTP, Response; ``a.b_c`` gives itself, a, b_c, b, c;
    ``C++`` gives itself and C; ``dog's`` gives dog.
    """
    end = len(word)
    if end > 2 and word[-2] == "'" and word[-1] in "sS":
        end -= 2  # the possessive is grammar
    inner = 1 if word[0] in ".@" else 0
    parts = _members(word, _JOINTS, inner, end)
    pieces: list[Piece] = []
    if len(parts) > 1 or parts[0] != (0, end):
        if end <= LONGEST_TERM:
            pieces.append(Piece(0, end, False))
        bare = parts[-1][1]
        if inner and len(parts) > 1:
            pieces.append(Piece(inner, bare, False))
        outer = _members(word, _OUTER_JOINTS, inner, bare)
        if len(outer) > 1:
            shown = set(parts)
            pieces.extend(
                Piece(start, stop, False)
                for start, stop in outer
                if (start, stop) not in shown and stop - start <= LONGEST_TERM
            )
    for start, stop in parts:
        pieces.append(Piece(start, stop, True))
        pieces.extend(Piece(a, b, True) for a, b in _humps(word, start, stop))
    return pieces
