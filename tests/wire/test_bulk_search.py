"""Many searches in one call, without a store behind them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import InvalidArgumentError, StoreError
from rag.stores.filters import SearchFilter
from rag.tool import SearchRequest
from rag.wire import to_json
from rag.wire.bulk_search import BulkItem, bulk_item, bulk_line, check_bulk_size
from rag.wire.search_response import SearchResult

any_text = st.text(st.characters(exclude_categories=()))  # lone surrogates too
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)


def emit(item: BulkItem) -> None:
    """Emit an item as JSON text that any parser reads."""

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    json.loads(to_json(item).encode("utf-8"), parse_constant=refuse)


def remembering(calls: list[SearchRequest]) -> Any:
    def search(request: SearchRequest) -> SearchResult:
        calls.append(request)
        raise StoreError("not today")

    return search


def test_options_and_filters_reach_the_search_under_their_names():
    calls: list[SearchRequest] = []
    given = {
        "query": "a",
        "mode": "lexical",
        "k": 3,
        "snippet_chars": 50,
        "max_tokens": 0,
        "trace": False,
        "cursor": None,
        "tags": ["x"],
        "tenant": "",
    }
    item = bulk_item(given, remembering(calls))
    assert calls == [
        SearchRequest(
            query="a",
            mode="lexical",
            k=3,
            snippet_chars=50,
            max_tokens=0,
            trace=False,
            filters=SearchFilter(tags=("x",), tenant=""),
        )
    ]
    assert item.error is not None
    assert item.error.code == "store_failed"
    assert item.query == given


def test_a_string_is_a_query():
    calls: list[SearchRequest] = []
    bulk_item("backups", remembering(calls))
    assert calls == [SearchRequest(query="backups")]


@settings(max_examples=100, deadline=None)
@given(given_value=json_values)
def test_whatever_is_given_there_is_an_item_and_it_can_be_emitted(given_value: Any):
    item = bulk_item(given_value, remembering([]))
    assert isinstance(item, BulkItem)
    assert item.error is not None
    emit(item)


@settings(max_examples=100, deadline=None)
@given(line=any_text)
def test_whatever_a_line_holds_there_is_an_item(line: str):
    emit(bulk_line(line, remembering([])))


@pytest.mark.parametrize("key", ["query", "mode", "cursor", "tags", "nonsense"])
def test_what_was_given_may_be_no_unicode_and_the_answer_is(key: str):
    item = bulk_item({"query": "a", key: "\ud800"}, remembering([]))
    emit(item)


def test_a_line_nested_too_deeply_is_an_error_of_its_own():
    item = bulk_line("[" * 100_000, remembering([]))
    assert item.error is not None
    assert item.error.code == "invalid_argument"


def test_the_size_is_checked_before_any_search():
    check_bulk_size(100)
    with pytest.raises(InvalidArgumentError, match="at most 100"):
        check_bulk_size(101)
