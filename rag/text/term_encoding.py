"""Terms written so that every engine's tokeniser keeps each one whole and unchanged.

The stores index ``encode_terms(analyzer.terms(text))`` and query with the same encoding.
Milvus Lite reads ``\\w+`` after lower-casing, a Milvus server splits at white space, SQLite FTS5
takes letters and digits and may strip diacritics. A character that all of them keep is written
as it is; any other becomes its code point in hexadecimal between two U+0294, a letter without
case that occurs in no orthography's folded text and is itself escaped: ``c++`` is
``cʔ2bʔʔ2bʔ``. Distinct terms have distinct encodings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_MARK = "\u0294"
# Letters of Unicode 1.1 to 3.0 without case or decomposition left after folding.
_UNSAFE = re.compile(
    "[^ a-z0-9"
    "\u03b1-\u03c1\u03c3-\u03c9\u0430-\u0438\u043a-\u044f"  # Greek, Cyrillic
    "\u05d0-\u05ea\u0627-\u063a\u0641-\u064a"  # Hebrew, Arabic
    "\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fa5\uac00-\ud7a3"  # Kana, Han, Hangul
    "]"
)


def _escape(match: re.Match[str]) -> str:
    return f"{_MARK}{ord(match.group()):x}{_MARK}"


def encode_term(term: str) -> str:
    """Return ``term`` as the engines see it."""
    return _UNSAFE.sub(_escape, term)


def encode_terms(terms: Iterable[str]) -> str:
    """Return the encoded terms joined by single spaces: what a store indexes for a chunk."""
    return _UNSAFE.sub(_escape, " ".join(terms))
