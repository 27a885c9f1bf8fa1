"""Snippets: verbatim, dense, and cut where reading is easy."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import InvalidArgumentError
from rag.text import Analyzer, Snippet, make_snippet
from rag.text.term_places import find_places

ANALYZER = Analyzer()
WORDS = st.sampled_from(
    ["path", "Paths", "parameter.", "the", "getHTTPResponse", "foo_bar", "C++", "Zürich", "naïve",
     "检索的质量", "检", "한국어는", "ＡＢＣ", "\n", "—", "e\u0301t", "ﬁne", "İx",
     "😀\u200d😀", "x" * 70]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=200)
QUERIES = [
    "path parameter",
    "http response foo_bar c++",
    "zurich naive abc",
    "检索 质量",
    "한국어",
    "x",
]


def snippet_of(text: str, query: str, max_chars: int) -> Snippet:
    return make_snippet(text, ANALYZER.query_terms(query), ANALYZER, max_chars)


@given(TEXTS, st.sampled_from(QUERIES), st.integers(1, 80))
@settings(max_examples=100, deadline=None)
def test_a_snippet_is_a_bounded_verbatim_part(text: str, query: str, max_chars: int) -> None:
    snippet = snippet_of(text, query, max_chars)
    assert snippet.text == text[snippet.start : snippet.end]
    assert len(snippet.text) <= max_chars


@given(TEXTS, st.sampled_from(QUERIES), st.integers(1, 80))
@settings(max_examples=100, deadline=None)
def test_matches_lie_inside_in_order_and_apart(text: str, query: str, max_chars: int) -> None:
    snippet = snippet_of(text, query, max_chars)
    ends = [0, *(end for _, end in snippet.matches)]
    assert all(start < end <= len(snippet.text) for start, end in snippet.matches)
    assert all(before <= start for before, (start, _) in zip(ends, snippet.matches, strict=False))


@given(TEXTS, st.sampled_from(QUERIES))
@settings(max_examples=100, deadline=None)
def test_a_text_with_a_term_has_a_match_and_another_has_none(text: str, query: str) -> None:
    terms = ANALYZER.query_terms(query)
    found = {index for _, _, index in find_places(text, terms, ANALYZER)}
    present = set(ANALYZER.terms(text))
    assert {terms[index] for index in found} >= {t for t in terms if t in present and len(t) > 1}


@pytest.mark.scenario("text-analysis", "The window with more distinct terms wins")
def test_the_window_with_more_distinct_terms_wins() -> None:
    text = "path path path. " + "Filler words here. " * 60 + "A path parameter has a type. End."
    snippet = snippet_of(text, "path parameter", 80)
    assert "path parameter" in snippet.text
    assert snippet.text == text[snippet.start : snippet.end]
    assert [snippet.text[a:b] for a, b in snippet.matches] == ["path", "parameter"]


def test_of_two_windows_with_the_same_terms_the_closer_one_wins() -> None:
    text = "path " + "and so on " * 5 + "parameter. " + "Filler. " * 50 + "A parameter path."
    assert "A parameter path" in snippet_of(text, "path parameter", 80).text


@pytest.mark.scenario("text-analysis", "Overlapping bigrams are one match")
def test_overlapping_bigrams_are_one_match() -> None:
    snippet = snippet_of("混合检索的质量", "检索的质量", 80)
    assert [snippet.text[a:b] for a, b in snippet.matches] == ["检索的质量"]


@pytest.mark.parametrize(
    ("text", "query", "matches"),
    [
        ("Declaring things", "declare", ["Declaring"]),
        ("policies and Policy", "policy", ["policies", "Policy"]),
        ("call getHTTPResponse()", "http response", ["HTTPResponse"]),
        ("call getHTTPResponse()", "getHTTPResponse", ["getHTTPResponse"]),
        ("use FastAPI는 here", "fastapi", ["FastAPI"]),
        ("set foo_bar now", "foo", ["foo"]),
        ("set foo_bar now", "foo_bar", ["foo_bar"]),
        ("in C++ or C", "c++", ["C++"]),
        ("Zürich ＡＢＣ cafe\u0301!", "zurich abc cafe", ["Zürich", "ＡＢＣ", "cafe\u0301"]),
        ("pathology", "path", []),
        ("telepath", "path", []),
    ],
)
def test_matches_cover_the_words_of_the_text(text: str, query: str, matches: list[str]) -> None:
    snippet = snippet_of(text, query, 200)
    assert [snippet.text[a:b] for a, b in snippet.matches] == matches


def test_without_a_match_the_beginning_is_shown_up_to_a_word() -> None:
    snippet = snippet_of("One two three four five", "zebra", 12)
    assert (snippet.text, snippet.start, snippet.matches) == ("One two", 0, ())


def test_a_snippet_begins_with_the_sentence_of_its_match_where_it_fits() -> None:
    text = "First thing here. " * 20 + "The path has one parameter. " + "Last thing here. " * 20
    assert snippet_of(text, "path parameter", 60).text.startswith("The path has one parameter.")


def test_a_short_text_is_its_own_snippet() -> None:
    assert snippet_of("A path.", "path", 200) == Snippet(
        text="A path.", start=0, end=7, matches=((2, 6),)
    )


def test_a_cut_leaves_characters_whole() -> None:
    family = "👨\u200d👩\u200d👧"
    assert snippet_of(f"ab{family}cd", "zebra", 4).text == "ab"
    assert snippet_of("abe\u0301cd", "zebra", 3).text == "ab"
    assert snippet_of("ab\ud83d\ude00cd", "zebra", 3).text == "ab"


def test_a_match_longer_than_the_snippet_is_cut() -> None:
    snippet = snippet_of("a" * 50, "a" * 50, 10)
    assert (snippet.text, snippet.matches) == ("a" * 10, ((0, 10),))


def test_empty_text_and_no_terms_are_no_error() -> None:
    assert snippet_of("", "path", 10).text == ""
    assert make_snippet("A path.", [], ANALYZER, 10).matches == ()


def test_a_length_below_one_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="max_chars"):
        snippet_of("text", "text", 0)
