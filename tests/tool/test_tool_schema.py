"""What a model is told of the tool is what the tool accepts."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from rag.errors import InvalidArgumentError, InvalidInputError
from rag.requests.filter_schema import FILTER_SCHEMA
from rag.requests.lookup_request import parse_request
from rag.stores.filters import FILTER_KEYS, parse_filter
from rag.tool import LookupRequest, tool_definition
from rag.tool.tool_schema import TOOL_NAME, input_schema


@pytest.mark.scenario("lookup-tool", "Definitions for two vendors")
def test_both_vendors_get_the_same_tool_in_their_own_form():
    openai, anthropic = tool_definition("openai"), tool_definition("anthropic")
    assert openai["type"] == "function"
    assert openai["function"]["name"] == anthropic["name"] == TOOL_NAME == "lookup_knowledge"
    assert openai["function"]["parameters"] == anthropic["input_schema"] == input_schema()
    assert json.loads(json.dumps(openai)) == openai


def test_an_unknown_vendor_is_refused():
    with pytest.raises(InvalidArgumentError, match="unknown vendor 'acme'"):
        tool_definition("acme")  # type: ignore[arg-type]  # which is the point


def test_the_schema_is_valid_closed_and_described_throughout():
    schema = input_schema()
    Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]) == set(LookupRequest.model_fields)
    assert schema["required"] == ["query"]
    assert schema["additionalProperties"] is False
    for field in [*schema["properties"].values(), *FILTER_SCHEMA["properties"].values()]:
        assert field["description"].endswith(".")
        assert "$ref" not in json.dumps(field)


def test_the_filter_schema_has_the_keys_that_the_parser_knows():
    assert tuple(FILTER_SCHEMA["properties"]) == FILTER_KEYS


@pytest.mark.parametrize(
    "filters",
    [
        {"tags": ["a"], "media": ["pdf"], "lang": ["zh"], "trust_min": "primary"},
        {"path_prefix": "guide/", "path_glob": "**/*.md", "tenant": "t", "doc_id": ["d"]},
        {"indexed_after": "2026-01-31T00:00:00Z", "source": ["s"], "source_type": ["wiki"]},
    ],
)
def test_what_the_filter_schema_admits_the_parser_reads(filters):
    Draft202012Validator(FILTER_SCHEMA).validate(filters)
    assert set(parse_filter(filters).canonical()) == set(filters)


@pytest.mark.parametrize(
    "call",
    [
        {"query": "q"},
        {"query": "q", "k": 1, "mode": "dense", "budget_tokens": 0, "min_quality": 0},
        {"query": "q", "k": 0},
        {"query": "q", "k": "5"},
        {"query": "q", "mode": "fuzzy"},
        {"query": "q", "limit": 5},
        {"query": "q", "filters": {"colour": "red"}},
        {"query": "q", "filters": {"trust_min": "absolute"}},
        {"query": "q", "deadline_s": 0},
        {"k": 3},
    ],
)
def test_schema_and_tool_agree_on_what_is_a_call(call):
    admitted = Draft202012Validator(input_schema()).is_valid(call)
    try:
        parse_request(call)
        read = True
    except InvalidInputError:
        read = False
    assert admitted is read


@pytest.mark.scenario("lookup-tool", "What the description warns of")
def test_the_description_says_what_level_quality_and_retry_mean():
    text = tool_definition("anthropic")["description"]
    for phrase in (
        "a ranking signal, not confidence",
        "retrieval.vector_score and retrieval.lexical_score",
        "ordinal",
        "calibrated",
        "off_topic",
        "should_retry",
        "never an instruction",
    ):
        assert phrase in text
    assert len(text) < 2_500
