"""Which writing systems a text uses."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache


class Script(StrEnum):
    """A writing system, as far as an embedder's coverage depends on it."""

    LATIN = "latin"
    HAN = "han"
    KANA = "kana"
    HANGUL = "hangul"
    CYRILLIC = "cyrillic"
    GREEK = "greek"
    ARABIC = "arabic"
    HEBREW = "hebrew"
    DEVANAGARI = "devanagari"
    THAI = "thai"
    OTHER = "other"


# The first word of a letter's Unicode name tells its script.
_BY_NAME = {
    "LATIN": Script.LATIN,
    "CJK": Script.HAN,
    "IDEOGRAPHIC": Script.HAN,
    "HIRAGANA": Script.KANA,
    "KATAKANA": Script.KANA,
    "KATAKANA-HIRAGANA": Script.KANA,
    "HANGUL": Script.HANGUL,
    "CYRILLIC": Script.CYRILLIC,
    "GREEK": Script.GREEK,
    "ARABIC": Script.ARABIC,
    "HEBREW": Script.HEBREW,
    "DEVANAGARI": Script.DEVANAGARI,
    "THAI": Script.THAI,
}
_CACHED_LETTERS = 16_384  # more than the distinct letters of a corpus in one language


@lru_cache(maxsize=_CACHED_LETTERS)
def _script_of(char: str) -> Script | None:
    """Return the script of a letter; None for a digit, mark, punctuation, symbol or space."""
    if not char.isalpha():
        return None
    plain = unicodedata.normalize("NFKC", char)[0]  # full-width Ａ is Latin, half-width ｱ is kana
    name = unicodedata.name(plain, "")
    return _BY_NAME.get(name.partition(" ")[0], Script.OTHER)


def script_shares(text: str) -> Mapping[Script, float]:
    """Return the share of each script among the letters of ``text``, largest first.

    Digits, marks, punctuation, symbols and spaces do not count. The shares lie in (0, 1] and sum
    to 1; without any letter the mapping is empty.
    """
    letters: Counter[Script] = Counter()
    for char, count in Counter(text).items():
        script = _script_of(char)
        if script is not None:
            letters[script] += count
    total = letters.total()
    return {script: count / total for script, count in letters.most_common()}
