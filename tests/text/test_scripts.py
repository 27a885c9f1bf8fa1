"""Shares of scripts among the letters of a text."""

from __future__ import annotations

import pytest

from rag.text import Script, script_shares


def test_shares_count_letters_only() -> None:
    assert script_shares("abc 检索 12 !?") == {Script.LATIN: 3 / 5, Script.HAN: 2 / 5}


@pytest.mark.parametrize("text", ["", "  ", "123 !? 😀", "\u0301\x00\ud800"])
def test_without_a_letter_there_are_no_shares(text: str) -> None:
    assert script_shares(text) == {}


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Straße ＡＢＣ 𝐀", Script.LATIN),
        ("检索々〆", Script.HAN),
        ("データ ひらがな ｶﾅ", Script.KANA),
        ("한국어 ㅋㅋ", Script.HANGUL),
        ("наука", Script.CYRILLIC),
        ("λόγος", Script.GREEK),
        ("كتاب", Script.ARABIC),
        ("ספר", Script.HEBREW),
        ("हिन्दी", Script.DEVANAGARI),
        ("ภาษาไทย", Script.THAI),
        ("საქართველო", Script.OTHER),
    ],
)
def test_each_script_is_recognised(text: str, script: Script) -> None:
    assert script_shares(text) == {script: 1.0}


def test_the_largest_share_comes_first() -> None:
    assert next(iter(script_shares("한국 documentation"))) == Script.LATIN
