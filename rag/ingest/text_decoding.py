"""Bytes to text: UTF-8, UTF-16 and UTF-32 by their mark, Western single-byte as a last resort."""

from __future__ import annotations

import codecs
import re

from rag.errors import UnreadableFileError

# the longer marks first: UTF-32 LE begins with the mark of UTF-16 LE
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
MAX_CONTROL_SHARE = 0.02  # a log may hold a few; a picture or an executable is full of them
MAX_HIGH_SHARE = 0.3  # Western text is mostly ASCII; GBK, EUC-KR and Shift_JIS are mostly not
_HIGH_RUN = re.compile(rb"[\x80-\xff]{3,}")
MAX_RUN_SHARE = 0.1  # accented letters stand alone or in pairs; other alphabets make whole words
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def is_binary(data: bytes) -> bool:
    """Tell whether ``data`` is no text at all: it has NUL bytes and no Unicode mark."""
    return b"\0" in data and _marked_encoding(data) is None


def decode_text(data: bytes, *, uri: str, declared: str | None = None) -> str:
    """Return the text of ``data`` with line ends as ``\\n`` and no byte order mark.

    ``declared`` is an encoding that the file names for itself, tried after UTF-8.
    Without a mark the bytes must be UTF-8, the declared encoding, or plausible Western text in
    Windows-1252; anything else is refused rather than turned into the wrong letters.

    Raises:
        UnreadableFileError: the bytes are not text in any of these encodings.
    """
    text = _decoded(data, declared)
    if text is None:
        raise UnreadableFileError(
            f"{uri} is not text in a known encoding",
            given=uri,
            allowed="UTF-8, or UTF-16 and UTF-32 with a byte order mark, or Windows-1252",
            hint="convert the file to UTF-8",
        )
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _marked_encoding(data: bytes) -> str | None:
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def _decoded(data: bytes, declared: str | None) -> str | None:
    marked = _marked_encoding(data)
    if marked is None and b"\0" in data:
        return None
    for encoding in (marked,) if marked else ("utf-8", declared):
        if encoding is None:
            continue
        try:
            text = data.decode(encoding)
        except (UnicodeError, LookupError):
            continue
        return text if _is_plausible(text) else None
    return None if marked else _western(data)


def _western(data: bytes) -> str | None:
    high = len(data.translate(None, delete=bytes(range(128))))
    in_runs = sum(len(run) for run in _HIGH_RUN.findall(data))
    if high > MAX_HIGH_SHARE * len(data) or in_runs > MAX_RUN_SHARE * high:
        return None
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:  # five bytes have no character there: it is some other encoding
        return None
    return text if _is_plausible(text) else None


def _is_plausible(text: str) -> bool:
    return (
        "\0" not in text
        and len(_CONTROLS.findall(text)) <= MAX_CONTROL_SHARE * len(text)
        and _SURROGATE.search(text) is None
    )
