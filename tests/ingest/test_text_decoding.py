from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import UnreadableFileError
from rag.ingest.text_decoding import decode_text, is_binary

MIXED = "Grüße 你好 안녕 🎉\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_and_its_mark_dropped(encoding: str) -> None:
    assert decode_text(MIXED.encode(encoding), uri="a.txt") == MIXED


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-16-le"])
def test_both_byte_orders_are_told_by_their_mark(encoding: str) -> None:
    assert decode_text(("\ufeff" + MIXED).encode(encoding), uri="a.txt") == MIXED


@pytest.mark.scenario("ingestion", "Windows-1252 text")
def test_western_text_in_windows_1252_is_read() -> None:
    text = "Die Gemütlichkeit der Straße – „schön“ für 5 € à la carte.\n"
    assert decode_text(text.encode("cp1252"), uri="a.txt") == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("这是一个没有声明编码的中文文件，不应该变成乱码。", "gb18030"),
        ("이 파일은 유니코드가 아니다.", "euc-kr"),
        ("これはシフトJISです。", "shift_jis"),
        ("Это кириллица в старой кодировке.", "cp1251"),
        ("English text with one quotation: Это кириллица.", "koi8-r"),
    ],
)
@pytest.mark.scenario("ingestion", "Text in an encoding that cannot be told")
def test_other_old_encodings_are_refused_rather_than_misread(text: str, encoding: str) -> None:
    with pytest.raises(UnreadableFileError, match=r"a\.txt is not text") as caught:
        decode_text(text.encode(encoding), uri="a.txt")
    assert caught.value.hint == "convert the file to UTF-8"


def test_a_declared_encoding_is_believed_after_utf_8() -> None:
    assert decode_text("你好，世界".encode("gb18030"), uri="a", declared="gb2312") == "你好，世界"
    assert decode_text("你好".encode(), uri="a", declared="latin-1") == "你好"


@pytest.mark.parametrize("declared", ["no-such", "hex", "rot13", "idna", "punycode", "undefined"])
def test_an_absurd_declaration_changes_nothing(declared: str) -> None:
    assert decode_text("Müller".encode("cp1252"), uri="a", declared=declared) == "Müller"


def test_an_escape_codec_cannot_bring_lone_surrogates_in() -> None:
    with pytest.raises(UnreadableFileError):
        decode_text(b"\xff \\ud800", uri="a", declared="unicode_escape")


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
def test_all_line_ends_become_one(ends: str) -> None:
    assert decode_text(ends.join("abc").encode(), uri="a") == "a\nb\nc"


def test_bytes_with_nul_are_binary_unless_a_mark_says_unicode() -> None:
    assert is_binary(b"\x89PNG\r\n\x1a\n\0\0")
    assert not is_binary("text".encode("utf-16"))
    assert not is_binary(b"text")


@pytest.mark.parametrize(
    "data", [b"\0", b"a\0b", b"\xff\xfea", b"\x01\x02\x03\x04" * 9, b"\xff\xfe\0\0"]
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    if data == b"\xff\xfe\0\0":
        assert decode_text(data, uri="a") == ""  # the mark of UTF-32 and nothing else
        return
    with pytest.raises(UnreadableFileError):
        decode_text(data, uri="a")


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=200), declared=st.none() | st.sampled_from(["gbk", "utf-7", "x"]))
def test_any_bytes_give_clean_text_or_the_typed_error(data: bytes, declared: str | None) -> None:
    try:
        text = decode_text(data, uri="a", declared=declared)
    except UnreadableFileError:
        return
    assert "\r" not in text
    assert "\0" not in text
    text.encode("utf-8")
