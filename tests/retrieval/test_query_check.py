"""What a search accepts."""

from __future__ import annotations

import math

import pytest

from rag.errors import EmptyQueryError, InvalidArgumentError, QueryTooLongError
from rag.ranking import SearchMode
from rag.retrieval import SearchQuery
from rag.retrieval.query_check import (
    checked_deadline,
    checked_k,
    checked_mode,
    checked_snippet_chars,
    checked_text,
)
from tests.retrieval.canned_store import CannedStore, CountingEmbedder
from tests.retrieval.test_search_service import service

BLANK = [
    "",
    "   ",
    "\t\n",
    "\u200b",
    "\u200b \ufeff\u2060",
    "\x00\x07",
    "\u3000",
    "\u3164",
    "\u2800",
    " " * 5_000,
]


@pytest.mark.scenario("retrieval", "Blank queries")
@pytest.mark.parametrize("text", BLANK, ids=ascii)
def test_a_query_without_a_visible_character_is_refused_before_any_store_is_asked(text: str):
    store, embedder = CannedStore(), CountingEmbedder()
    with pytest.raises(EmptyQueryError) as caught:
        service(store, embedder).search(SearchQuery(text=text))
    assert caught.value.code == "empty_query"
    assert (store.queries, embedder.asked) == ([], [])


@pytest.mark.parametrize("text", ["?!", "the of and", "a", "的", "\u200ba", "👍"])
def test_anything_visible_is_a_query(text: str):
    assert checked_text(text) == text


@pytest.mark.scenario("retrieval", "Oversized query")
def test_a_query_has_at_most_4000_characters():
    assert checked_text("x" * 4_000) == "x" * 4_000
    with pytest.raises(QueryTooLongError, match="4,001 characters; at most 4,000") as caught:
        checked_text("x" * 4_001)
    assert caught.value.code == "query_too_long"


@pytest.mark.parametrize("text", [None, 7, b"bytes", ["a"]])
def test_a_query_is_a_string(text: object):
    with pytest.raises(InvalidArgumentError, match="must be a string"):
        checked_text(text)


@pytest.mark.scenario("retrieval", "Unknown mode")
@pytest.mark.parametrize("mode", ["fuzzy", "", "HYBRID", 3, ["lexical"], {}])
def test_an_unknown_mode_is_refused_with_the_choice(mode: object):
    with pytest.raises(InvalidArgumentError) as caught:
        checked_mode(mode)
    start = f"unknown search mode {mode!r}; expected one of: "
    assert caught.value.message == start + "hybrid, vector, lexical, dense"
    assert caught.value.code == "invalid_argument"


@pytest.mark.parametrize(
    ("name", "mode"),
    [("hybrid", "hybrid"), ("vector", "vector"), ("dense", "vector"), ("lexical", "lexical")],
)
def test_modes_and_their_alias(name: str, mode: str):
    assert checked_mode(name) is SearchMode(mode)
    assert checked_mode(SearchMode(mode)) is SearchMode(mode)


@pytest.mark.scenario("retrieval", "Number of hits out of range")
@pytest.mark.parametrize("k", [0, 201, -1, 2.5, True, "10", math.nan])
def test_k_is_a_whole_number_from_1_to_200(k: object):
    with pytest.raises(InvalidArgumentError, match="k must be a whole number from 1 to 200"):
        checked_k(k)
    assert (checked_k(1), checked_k(200)) == (1, 200)


@pytest.mark.parametrize("chars", [19, 4_001, "240"])
def test_snippet_length_has_a_range(chars: object):
    with pytest.raises(InvalidArgumentError, match="from 20 to 4,000"):
        checked_snippet_chars(chars)


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf, True, "5"])
def test_a_deadline_is_a_finite_number_above_zero(seconds: object):
    with pytest.raises(InvalidArgumentError, match="deadline_s"):
        checked_deadline(seconds)
