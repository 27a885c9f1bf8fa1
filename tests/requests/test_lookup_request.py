"""Input that is at fault is named, with what was given and what is allowed."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from rag.errors import InvalidArgumentError, InvalidFilterError
from rag.ingest.records import Trust
from rag.requests.lookup_request import parse_request
from rag.requests.request_fault import allowed_values
from rag.stores.filters import SearchFilter
from rag.tool import LookupRequest


@pytest.mark.scenario("lookup-tool", "A budget below zero")
@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("budget_tokens", -1, "a whole number from 0 to 1,000,000"),
        ("k", 0, "a whole number from 1 to 200"),
        ("k", 201, "a whole number from 1 to 200"),
        ("k", "ten", "a whole number from 1 to 200"),
        ("k", True, "a whole number from 1 to 200"),
        ("k", 2.5, "a whole number from 1 to 200"),
        ("mode", "fuzzy", "one of: hybrid, vector, dense, lexical"),
        ("mode", 3, "one of: hybrid, vector, dense, lexical"),
        ("min_quality", 1.5, "a number from 0 to 1"),
        ("min_quality", float("nan"), "a number from 0 to 1"),
        ("min_quality", "high", "a number from 0 to 1"),
        ("cursor", 7, "a string"),
        ("session_id", "", "a string of 1 to 200 characters"),
        ("attempt", 0, "a whole number from 1 to 1,000"),
        ("seen_chunk_ids", [1], "a list of at most 10,000 strings"),
        ("deadline_s", 0, "a number above 0"),
        ("query", 7, "a string of 1 to 4,000 characters"),
        ("query", None, "a string of 1 to 4,000 characters"),
    ],
)
def test_a_value_out_of_range_or_of_the_wrong_type_is_named(field, value, allowed):
    with pytest.raises(InvalidArgumentError) as caught:
        parse_request({"query": "q", field: value})
    error = caught.value
    assert error.code == "invalid_argument"
    assert error.message.startswith(f"'{field}' must be {allowed}; got ")
    assert error.allowed == allowed
    assert error.__cause__ is None
    assert "pydantic" not in error.message


def test_an_unknown_field_is_named_with_those_that_exist():
    with pytest.raises(InvalidArgumentError, match="unknown argument 'top_k'") as caught:
        parse_request("q", {"top_k": 5})
    assert "budget_tokens" in str(caught.value.allowed)


def test_a_missing_question_is_named():
    with pytest.raises(InvalidArgumentError, match="'query' is missing"):
        parse_request({"k": 3})


@pytest.mark.parametrize("given", [None, 7, ["q"], b"q"])
def test_what_is_neither_question_nor_object_is_refused(given):
    with pytest.raises(InvalidArgumentError, match="must be a question or an object"):
        parse_request(given)


def test_a_long_value_is_shortened_in_the_message():
    with pytest.raises(InvalidArgumentError) as caught:
        parse_request("q", {"mode": "x" * 10_000})
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    "filters",
    [{"colour": "red"}, {"tags": 7}, {"media": "markdwon"}, {"indexed_after": "yesterday"}, "en"],
)
def test_a_filter_at_fault_is_a_filter_error(filters):
    with pytest.raises(InvalidFilterError):
        parse_request("q", {"filters": filters})


def test_a_filter_is_read_by_the_one_filter_parser():
    request = parse_request("q", {"filters": {"lang": "en", "trust_min": "secondary"}})
    assert request.filters == SearchFilter(lang=("en",), trust_min=Trust.SECONDARY)
    assert parse_request("q", {"filters": None}).filters == SearchFilter()
    assert parse_request(request).filters == request.filters
    assert parse_request(request, {"k": 3}).filters == request.filters


def test_null_means_the_default_for_every_field_but_the_question():
    names = set(LookupRequest.model_fields) - {"query"}
    assert parse_request("q", dict.fromkeys(names)) == LookupRequest(query="q")


def test_a_request_survives_json():
    request = parse_request(
        {"query": "q", "k": 3, "filters": {"lang": ["en"]}, "seen_chunk_ids": ["a"], "attempt": 2}
    )
    assert parse_request(request.model_dump(mode="json")) == request


def test_a_request_is_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        LookupRequest(query="q").k = 5  # type: ignore[misc]  # which is the point


def test_every_field_has_its_allowed_values_in_words():
    for name in set(LookupRequest.model_fields) - {"filters"}:
        assert allowed_values(name, LookupRequest)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_too_long_to_show_is_refused_without_showing_it(sign: int):
    with pytest.raises(InvalidArgumentError, match="got a number too long to show") as caught:
        parse_request("q", {"k": sign * 10**5_000})
    assert caught.value.to_wire()["given"] == "a number too long to show"


def test_a_field_whose_name_is_no_text_is_unknown():
    with pytest.raises(InvalidArgumentError, match="unknown argument '7'"):
        parse_request({"query": "q", 7: 1})  # type: ignore[dict-item]  # which is the point
