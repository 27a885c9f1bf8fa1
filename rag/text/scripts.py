"""Which writing systems a text uses."""

from __future__ import annotations

from enum import StrEnum


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
