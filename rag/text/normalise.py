"""One folding of text, for index and query alike, that remembers where every character was.

The folding is NFKC with diacritics taken off: ``Zürich`` and ``Zurich``, ``ﬁ`` and ``fi``,
full-width ``Ａ`` and ``A``, decomposed and composed Hangul become the same. Case is kept, because
the humps of ``getHTTPResponse`` are needed to split it; the analyser folds case afterwards.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


def clean_text(text: str) -> str:
    """Return ``text`` with NUL and lone surrogates replaced by U+FFFD, so any engine takes it.

    The length stays the same, so offsets into either text hold for the other.
    """
    return _UNSTORABLE.sub(_REPLACEMENT, text)


# Letters whose mark is part of the shape, so that Unicode does not decompose them.
_STROKED = {
    "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ħ": "h", "Ħ": "H",
    "ŧ": "t", "Ŧ": "T", "ı": "i", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
    "þ": "th", "Þ": "TH", "ð": "d", "Ð": "D",
}  # fmt: skip
_ALIKE = {
    "’": "'", "‘": "'", "ʼ": "'",  # a typeset apostrophe
    "‐": "-", "‑": "-",  # a typeset hyphen; dashes separate words and are not here
}  # fmt: skip
_KEPT = {"й": "й", "Й": "Й"}  # a letter of its own, not и with a mark


def _is_diacritic(char: str) -> bool:
    """Whether readers leave this mark out: Latin accents, Arabic and Hebrew points."""
    code = ord(char)
    return (
        0x0300 <= code <= 0x036F
        or 0x0591 <= code <= 0x05C7
        or 0x0610 <= code <= 0x061A
        or code == 0x0640  # tatweel only stretches a word
        or 0x064B <= code <= 0x065F
        or code == 0x0670
    )


def _fold_char(char: str) -> str:
    """Return the folding of one non-ASCII character: word characters, a space, or nothing."""
    for table in (_STROKED, _ALIKE, _KEPT):
        if char in table:
            return table[char]
    if "\u3131" <= char <= "\u318e":
        return char  # NFKC would turn a stand-alone Hangul letter into half a syllable
    category = unicodedata.category(char)
    if category == "Cf" or "\ufe00" <= char <= "\ufe0f":
        return ""  # zero-width marks, soft hyphens and variation selectors are not seen
    bare = "".join(c for c in unicodedata.normalize("NFKD", char) if not _is_diacritic(c))
    folded = unicodedata.normalize("NFKC", bare)
    return "".join(
        _STROKED.get(c, c) if c.isascii() or unicodedata.category(c)[0] in "LNM" else " "
        for c in folded
    )


class _FoldTable(dict[int, str]):
    """A translation table filled as characters are met; ``resized`` are those not one to one."""

    def __init__(self) -> None:
        super().__init__({code: chr(code) for code in range(128)})
        self.resized: set[str] = set()

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = _fold_char(char)
        if len(folded) != 1:
            self.resized.add(char)
        self[code] = folded
        return folded


_TABLE = _FoldTable()
_HALF_WIDTH_VOICING = re.compile("[\uff9e\uff9f]")


def _joins_previous(char: str) -> bool:
    return (
        unicodedata.category(char)[0] == "M"
        or "\u1160" <= char <= "\u11ff"  # vowel and final of a decomposed Hangul syllable
        or char in "\uff9e\uff9f"
    )


def _needs_composing(text: str) -> bool:
    return (
        not unicodedata.is_normalized("NFC", text) or _HALF_WIDTH_VOICING.search(text) is not None
    )


def _clusters(text: str) -> list[tuple[str, int, int]]:
    """Return the composed clusters of ``text``: a base with its marks, and where it stood."""
    bounds: list[int] = []
    for index, char in enumerate(text):
        if not bounds or char.isascii() or not _joins_previous(char):
            bounds.append(index)
    bounds.append(len(text))
    return [
        (
            text[start]
            if end - start == 1
            else unicodedata.normalize(
                "NFKC" if _HALF_WIDTH_VOICING.search(text, start, end) else "NFC", text[start:end]
            ),
            start,
            end,
        )
        for start, end in pairwise(bounds)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedText:
    """Folded text, and the range of the original behind each of its characters.

    ``starts`` and ``ends`` are None where both texts are aligned character by character.
    """

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original that a non-empty range of ``text`` came from."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def fold(text: str) -> str:
    """Return ``text`` folded, case kept; every non-ASCII character left is part of a word."""
    if text.isascii():
        return text
    if _needs_composing(text):
        text = "".join(cluster for cluster, _, _ in _clusters(text))
    return text.translate(_TABLE)


def fold_with_offsets(text: str) -> FoldedText:
    """Return ``fold(text)`` with the way back to ``text``."""
    if text.isascii():
        return FoldedText(text=text)
    pieces: list[tuple[str, int, int]]
    if _needs_composing(text):
        pieces = [(part.translate(_TABLE), start, end) for part, start, end in _clusters(text)]
    else:
        folded = text.translate(_TABLE)
        resized = _TABLE.resized.intersection(text)
        if not resized:
            return FoldedText(text=folded)
        pieces = []
        at = 0
        for match in re.finditer(f"[{re.escape(''.join(sorted(resized)))}]", text):
            start, end = match.span()
            if start > at:
                pieces.append((text[at:start].translate(_TABLE), at, start))
            pieces.append((match.group().translate(_TABLE), start, end))
            at = end
        if at < len(text):
            pieces.append((text[at:].translate(_TABLE), at, len(text)))
    starts: list[int] = []
    ends: list[int] = []
    behind = 0  # folded characters of the latest piece that left any
    for piece, start, end in pieces:
        if len(piece) == end - start:
            behind = 1
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        elif piece:
            behind = len(piece)
            starts.extend([start] * behind)
            ends.extend([end] * behind)
        elif behind:
            ends[-behind:] = [end] * behind  # an unseen mark belongs to what it follows
    return FoldedText(text="".join(piece for piece, _, _ in pieces), starts=starts, ends=ends)
