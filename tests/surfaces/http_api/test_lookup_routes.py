"""Look-ups and searches over HTTP give what the Python calls give."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from rag.surfaces.http_api.services import Services
from rag.wire import json_schema, to_wire
from tests.surfaces.http_api.service import PROBLEM

QUESTION = "How long are backups kept?"
TIMINGS = {"took_ms", "timing_ms"}


def untimed(value: Any) -> Any:
    """Return a JSON value without what a clock decided."""
    if isinstance(value, dict):
        return {k: untimed(v) for k, v in value.items() if k not in TIMINGS}
    return [untimed(item) for item in value] if isinstance(value, list) else value


@pytest.mark.scenario("http-api", "A look-up over HTTP")
def test_a_look_up_is_what_the_tool_gives(reader: TestClient, handbook: Services):
    body = {"query": QUESTION, "k": 3, "budget_tokens": 300, "filters": {"lang": ["en"]}}
    answer = reader.post("/v1/lookup", json=body)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    expected = to_wire(handbook.base.parts.tool.lookup(body))
    assert untimed(answer.json()) == untimed(expected)
    assert answer.json()["evidence"][0]["citation"]["uri"] == "backups.md"
    Draft202012Validator(json_schema("rag_tool_result.v1")).validate(answer.json())


def test_a_batch_is_what_the_tool_gives(reader: TestClient, handbook: Services):
    questions = [QUESTION, {"query": "Who is on call?", "k": 2}, "  "]
    answer = reader.post("/v1/lookup/batch", json={"queries": questions, "budget_tokens": 400})
    expected = handbook.base.lookup_many(questions, budget_tokens=400)
    assert untimed(answer.json()) == untimed(to_wire(expected))
    assert [error["index"] for error in answer.json()["errors"]] == [2]
    Draft202012Validator(json_schema("rag_batch_result.v1")).validate(answer.json())


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
def test_a_search_is_what_the_base_gives(reader: TestClient, handbook: Services, mode: str):
    body = {"query": QUESTION, "mode": mode, "k": 4, "trace": True, "snippet_chars": 60}
    answer = reader.post("/v1/search", json=body)
    expected = handbook.base.search(QUESTION, mode=mode, k=4, trace=True, snippet_chars=60)
    assert untimed(answer.json()) == untimed(to_wire(expected))
    Draft202012Validator(json_schema("search_response.v1")).validate(answer.json())


def test_the_next_page_follows_the_first(reader: TestClient):
    first = reader.post("/v1/search", json={"query": "backups", "k": 2}).json()
    again = {"query": "backups", "k": 2, "cursor": first["next_cursor"]}
    second = reader.post("/v1/search", json=again).json()
    whole = reader.post("/v1/search", json={"query": "backups", "k": 4}).json()
    ids = [hit["chunk_id"] for hit in first["hits"] + second["hits"]]
    assert ids == [hit["chunk_id"] for hit in whole["hits"]]


@pytest.mark.parametrize("path", ["/v1/lookup", "/v1/search"])
def test_null_is_as_good_as_left_out(reader: TestClient, path: str):
    with_null = reader.post(path, json={"query": "backups", "mode": None, "k": None})
    without = reader.post(path, json={"query": "backups"})
    assert untimed(with_null.json()) == untimed(without.json())


@pytest.mark.scenario("http-api", "An argument out of range")
@pytest.mark.parametrize("path", ["/v1/lookup", "/v1/search"])
@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ({"query": "backups", "k": 0}, "invalid_argument", "from 1 to 200; got 0"),
        ({"query": "   "}, "empty_query", "no visible character"),
        ({"query": "x" * 4_001}, "query_too_long", "4,001 characters"),
        ({"query": "x", "mode": "fuzzy"}, "invalid_argument", "hybrid"),
        ({"query": "x", "colour": 1}, "invalid_argument", "unknown argument 'colour'"),
        ({"query": "x", "filters": {"colour": 1}}, "invalid_filter", "unknown filter key"),
        ({"query": "x", "filters": {"tags": 1}}, "invalid_filter", "list of strings"),
        ({"query": "x", "cursor": "nonsense"}, "invalid_cursor", "cursor"),
        ({"query": 7}, "invalid_argument", "'query'"),
        ({}, "invalid_argument", "'query' is missing"),
        ({"query": "x", "k": True}, "invalid_argument", "'k'"),
    ],
)
def test_input_at_fault_is_a_problem_document(
    reader: TestClient, path: str, body: dict[str, Any], code: str, says: str
):
    answer = reader.post(path, json=body)
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (400, code)
    assert answer.headers["content-type"] == PROBLEM
    assert says in problem["message"]
    assert problem["detail"] == problem["message"]
    assert problem["status"] == 400
    assert problem["type"] == f"urn:rag-evidence:error:{code}"
    error = {key: problem[key] for key in json_schema("error.v1")["properties"]}
    Draft202012Validator(json_schema("error.v1")).validate(error)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "no JSON"),
        (b"", "no JSON"),
        (b"[1]", "must be a JSON object; got list"),
        (b'{"query": NaN}', "NaN is no JSON number"),
        (b'{"query": "\xff"}', "no JSON"),
        (b'{"query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"k": ' + b"9" * 5_000 + b"}", "no JSON"),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(reader: TestClient, body: bytes, says: str):
    answer = reader.post("/v1/lookup", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert says in answer.json()["message"]


def test_a_body_of_another_kind_is_refused(reader: TestClient):
    """Also what keeps a form on another site from asking: it cannot send this type."""
    answer = reader.post(
        "/v1/lookup", content=b'{"query": "x"}', headers={"content-type": "text/plain"}
    )
    assert answer.status_code == 415
    assert answer.json()["allowed"] == "application/json"


def test_lone_surrogates_and_nul_are_searched_for_as_text(reader: TestClient):
    answer = reader.post(
        "/v1/lookup",
        content=b'{"query": "backups \\ud800 \\u0000 kept"}',
        headers={"content-type": "application/json"},
    )
    assert answer.status_code == 200
    assert answer.json()["evidence"][0]["citation"]["uri"] == "backups.md"


def test_an_empty_base_is_no_error(writer: TestClient):
    answer = writer.post("/v1/lookup", json={"query": QUESTION})
    assert answer.status_code == 200
    assert (answer.json()["relevance_level"], answer.json()["reason"]) == ("none", "empty_index")


def test_a_cursor_of_an_older_corpus_is_a_conflict(writer: TestClient, services: Services):
    for number in range(3):
        services.base.ingest_text(f"backups {number}", name=f"{number}.md")
    cursor = writer.post("/v1/search", json={"query": "backups", "k": 1}).json()["next_cursor"]
    services.base.ingest_text("more backups", name="more.md")
    answer = writer.post("/v1/search", json={"query": "backups", "k": 1, "cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (409, "stale_cursor")


def test_attempts_are_counted_by_session(reader: TestClient):
    body = {"query": "zxcm qwoeiu", "session_id": "one"}
    left = [reader.post("/v1/lookup", json=body).json()["retry"]["attempts_left"] for _ in range(3)]
    assert left == [2, 1, 0]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/v1/lookup", 405, "invalid_argument"),
        ("PUT", "/v1/documents", 405, "invalid_argument"),
        ("POST", "/healthz", 405, "invalid_argument"),
    ],
)
def test_addresses_and_methods_that_are_not_there(
    reader: TestClient, method: str, path: str, status: int, code: str
):
    answer = reader.request(method, path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == PROBLEM
    if status == 405:
        assert answer.headers["allow"]
