"""Every field of a request can be given on every surface, with the same limits."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from starlette.testclient import TestClient

from rag.requests.batch_request import BatchRequest
from rag.requests.fetch_request import FetchRequest
from rag.requests.filter_schema import FILTER_SCHEMA
from rag.requests.ingest_arguments import PathIngest, TextIngest
from rag.requests.list_request import ListRequest
from rag.requests.request import Request
from rag.surfaces.cli.options import FilterOptions
from rag.surfaces.mcp_server.server import TOOLS
from rag.tool import LookupRequest, SearchRequest
from tests.surfaces.http_api.service import client_of, services_in

COMMANDS: dict[str, type[Request]] = {
    "lookup": LookupRequest,
    "search": SearchRequest,
    "fetch": FetchRequest,
    "list": ListRequest,
    "ingest": PathIngest,
}
# A process answers one look-up, so there is no session to name.
NOT_AN_OPTION = {"lookup": {"session_id"}}

TOOL_REQUESTS: dict[str, type[Request]] = {
    "lookup_knowledge": LookupRequest,
    "lookup_knowledge_batch": BatchRequest,
    "search": SearchRequest,
    "fetch": FetchRequest,
    "ingest_file": PathIngest,
    "ingest_text": TextIngest,
}
# The server counts attempts itself; a question of a batch is text there, which models fill in.
COUNTED = {"attempt", "seen_chunk_ids"}
NOT_LISTED = {"lookup_knowledge": COUNTED, "lookup_knowledge_batch": COUNTED}
SIMPLER = {"queries"}

BODIES: dict[str, type[Request]] = {
    "/v1/lookup": LookupRequest,
    "/v1/lookup/batch": BatchRequest,
    "/v1/search": SearchRequest,
}


def bare(field: dict[str, Any]) -> dict[str, Any]:
    """Return a field's schema without its title, default and null."""
    options = [bare(one) for one in field.get("anyOf", []) if one != {"type": "null"}]
    plain: dict[str, Any] = {
        key: bare(value) if isinstance(value, dict) else value
        for key, value in field.items()
        if key not in ("title", "default", "anyOf")
    }
    return {**plain, "anyOf": options} if len(options) > 1 else plain | dict(*options)


def fields_of(request: type[Request]) -> dict[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = request.model_json_schema()["properties"]
    return {name: bare(field) for name, field in properties.items()}


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    services = services_in(tmp_path_factory.mktemp("described"))
    client: TestClient = client_of(services)
    found: dict[str, Any] = client.get("/openapi.json").json()
    services.close()
    return found


@pytest.mark.scenario("lookup-tool", "A field by every way")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_every_field_of_its_request(name: str):
    command: Callable[..., int] = getattr(
        import_module(f"rag.surfaces.cli.commands.{name}"), f"{name}_command"
    )
    options = set(inspect.signature(command).parameters)
    wanted = set(COMMANDS[name].model_fields) - NOT_AN_OPTION.get(name, set())
    assert wanted <= options
    if "filters" in wanted:
        assert list(FilterOptions().given()) == list(FILTER_SCHEMA["properties"])


@pytest.mark.scenario("lookup-tool", "A field by every way")
@pytest.mark.parametrize("name", TOOL_REQUESTS)
def test_a_tool_lists_every_field_of_its_request_with_its_limits(name: str):
    (tool,) = (one for one in TOOLS if one.name == name)
    expected = fields_of(TOOL_REQUESTS[name])
    listed = tool.takes["properties"]
    assert set(listed) == set(expected) - NOT_LISTED.get(name, set())
    for field in set(listed) - SIMPLER:
        assert listed[field] == expected[field], field


@pytest.mark.scenario("lookup-tool", "A field by every way")
@pytest.mark.parametrize("path", BODIES)
def test_a_body_is_described_as_its_request(path: str, description: dict[str, Any]):
    body = description["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    described = {name: bare(one) for name, one in body["schema"]["properties"].items()}
    assert described == fields_of(BODIES[path])


@pytest.mark.scenario("lookup-tool", "A field by every way")
@pytest.mark.parametrize(
    ("path", "request_type", "names"),
    [
        ("/v1/documents", ListRequest, ("limit", "offset")),
        (
            "/v1/documents/{document}",
            FetchRequest,
            ("start", "end", "max_tokens", "source", "tenant"),
        ),
        ("/v1/chunks/{chunk_id}", FetchRequest, ("context",)),
    ],
)
def test_an_option_is_described_as_its_field(
    path: str, request_type: type[Request], names: tuple[str, ...], description: dict[str, Any]
):
    described = {
        one["name"]: {**bare(one["schema"]), "description": one["description"]}
        for one in description["paths"][path]["get"]["parameters"]
        if one["in"] == "query"
    }
    expected = fields_of(request_type)
    for name in names:
        assert described[name] == expected[name]
    filters = {
        name: one
        for name, one in described.items()
        if name in FILTER_SCHEMA["properties"] and name not in names
    }
    assert filters == (FILTER_SCHEMA["properties"] if request_type is ListRequest else {})


def test_only_what_bounds_an_answer_has_a_default_of_its_own(description: dict[str, Any]):
    options = description["paths"]["/v1/documents"]["get"]["parameters"]
    defaults = {one["name"]: one["schema"].get("default") for one in options}
    assert (defaults["limit"], defaults["offset"]) == (100, 0)
