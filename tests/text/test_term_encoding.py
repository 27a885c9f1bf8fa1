"""Terms as the engines see them, shown to the engines themselves."""

from __future__ import annotations

import re
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from milvus_lite.analyzer.standard import StandardAnalyzer

from rag.text import Analyzer, encode_term, encode_terms

TERMS = st.text(st.characters(exclude_categories=["Cs", "Zs", "Cc"]), min_size=1, max_size=8)


def fts5_tokens(text: str, tokenizer: str) -> set[str]:
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE chunks USING fts5(text, tokenize='{tokenizer}')")
    database.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(chunks, 'row')")
    database.execute("INSERT INTO chunks VALUES (?)", (text,))
    found = {row[0] for row in database.execute("SELECT term FROM vocabulary")}
    database.close()
    return found


@pytest.mark.scenario("text-analysis", "Real tokenisers keep encoded terms")
@pytest.mark.parametrize("tokenizer", ["unicode61", "unicode61 remove_diacritics 2", "ascii"])
def test_fts5_keeps_encoded_terms(tokenizer: str) -> None:
    terms = Analyzer().terms("C++ c# foo_bar v1.2.3 наука йод λόγος ガギ 检索 한국 हिन्दी ไทย @a .b")
    assert fts5_tokens(encode_terms(terms), tokenizer) == {encode_term(term) for term in terms}


@given(TERMS)
@settings(max_examples=100, deadline=None)
def test_milvus_lite_keeps_any_encoded_term(term: str) -> None:
    assert StandardAnalyzer().tokenize(encode_term(term)) == [encode_term(term)]


@given(st.lists(TERMS, min_size=1, max_size=5))
@settings(max_examples=50, deadline=None)
def test_fts5_keeps_any_encoded_term(terms: list[str]) -> None:
    encoded = {encode_term(term) for term in terms}
    assert fts5_tokens(encode_terms(terms), "unicode61") == encoded


@given(TERMS, TERMS)
@settings(max_examples=100, deadline=None)
def test_distinct_terms_have_distinct_encodings(one: str, other: str) -> None:
    assert (encode_term(one) == encode_term(other)) == (one == other)


def test_every_safe_character_passes_fts5_unchanged() -> None:
    safe = [c for c in map(chr, range(0x10000)) if c != " " and encode_term(c) == c]
    words = {f"a{char}b" for char in safe}
    assert len(words) > 27_000
    assert fts5_tokens(" ".join(words), "unicode61") == words


def test_plain_words_stay_as_they_are() -> None:
    assert encode_terms(["declar", "检索", "v1"]) == "declar 检索 v1"
    assert re.fullmatch(r"cʔ2bʔʔ2bʔ", encode_term("c++"))
