"""The service's description is right: by its examples, and by fuzzing the service with it."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator
from schemathesis import Case, CheckContext, GenerationMode, Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from rag.samples import handbook_path
from rag.surfaces.http_api.app import build_app
from rag.surfaces.http_api.services import Services
from tests.surfaces.http_api.service import client_of, key_table, services_in, with_key

FUZZER = "testserver"  # the name by which it calls the service
EXAMPLES = 20  # for each of a dozen operations; the whole fuzz takes seconds
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def no_fault_of_ours(ctx: CheckContext, response: Response, case: Case) -> None:
    """Hold that only "not now" is answered with a 5xx: a fuzzed deadline may be a microsecond."""
    if response.status_code == 503:
        assert response.json()["code"] == "deadline_exceeded"
        assert response.headers["retry-after"]
    else:
        assert response.status_code < 500


# That input which the description admits is always taken, and all other refused, cannot hold:
# a cursor is a string, and not every string is a cursor.
CHECKS = [
    no_fault_of_ours,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
    ignored_auth,
]


def _fuzzed(services: Services) -> Any:
    app = build_app(services)

    async def without_its_end(scope: Scope, receive: Receive, send: Send) -> None:
        """Do as the application does, but stay open: each fuzzed operation ends its lifespan."""
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})

    return schemathesis.openapi.from_asgi("/openapi.json", without_its_end)


@pytest.fixture(scope="module")
def open_service(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A service for everybody, filled; the fuzz may write into it."""
    services = services_in(tmp_path_factory.mktemp("fuzz"), server={"allowed_hosts": [FUZZER]})
    services.base.ingest(handbook_path())
    yield _fuzzed(services)
    services.close()


@pytest.fixture(scope="module")
def keyed_service(tmp_path_factory: pytest.TempPathFactory) -> Any:
    keys = [key_table("all", "fuzz-key", "read", "write", tenant="acme")]
    server = {"keys": keys, "allowed_hosts": [FUZZER]}
    services = services_in(tmp_path_factory.mktemp("fuzz-keys"), server=server)
    services.base.ingest_text("backups are kept", name="a.md", tenant="acme")
    yield _fuzzed(services)
    services.close()


OPERATIONS = [
    ("POST", "/v1/lookup"),
    ("POST", "/v1/lookup/batch"),
    ("POST", "/v1/search"),
    ("GET", "/v1/documents"),
    ("POST", "/v1/documents"),
    ("GET", "/v1/documents/{document}"),
    ("DELETE", "/v1/documents/{document}"),
    ("GET", "/v1/documents/{document}/chunks"),
    ("GET", "/v1/chunks/{chunk_id}"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
]


def _fuzz(operation: Any, headers: dict[str, str]) -> None:
    @FUZZ
    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def admitted(case: Case) -> None:
        case.call_and_validate(checks=CHECKS, headers=headers)

    @FUZZ
    @given(case=operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))
    def not_admitted(case: Case) -> None:
        case.call_and_validate(checks=CHECKS, headers=headers)

    admitted()
    if operation.body or operation.query:
        not_admitted()


@pytest.mark.scenario("http-api", "Fuzzed against its own description")
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_service_does_what_its_description_says(open_service: Any, method: str, path: str):
    _fuzz(open_service[path][method], {})


@pytest.mark.parametrize(("method", "path"), OPERATIONS[:5])
def test_so_does_a_service_with_keys(keyed_service: Any, method: str, path: str):
    _fuzz(keyed_service[path][method], with_key("fuzz-key"))


def test_every_operation_is_fuzzed(reader: TestClient):
    described = {
        (method.upper(), path)
        for path, operations in _description(reader)["paths"].items()
        for method in operations
    }
    assert described == set(OPERATIONS)


def _description(client: TestClient) -> dict[str, Any]:
    description: dict[str, Any] = client.get("/openapi.json").json()
    return description


def _resolved(schema: Any, description: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with the description's components beside it, for its references."""
    return {**schema, "components": description["components"]}


def test_every_example_is_what_the_description_says(reader: TestClient):
    description = _description(reader)
    checked = 0
    for operations in description["paths"].values():
        for operation in operations.values():
            bodies = operation.get("requestBody", {}).get("content", {})
            answers = [a.get("content", {}) for a in operation["responses"].values()]
            for content in [bodies, *answers]:
                for media in content.values():
                    examples = [e["value"] for e in media.get("examples", {}).values()]
                    examples += [media["example"]] if "example" in media else []
                    for example in examples:
                        validator = Draft202012Validator(_resolved(media["schema"], description))
                        validator.validate(example)
                        checked += 1
    assert checked > 20


@pytest.mark.parametrize("path", ["/v1/lookup", "/v1/lookup/batch", "/v1/search"])
def test_every_example_of_a_question_is_answered(reader: TestClient, path: str):
    content = _description(reader)["paths"][path]["post"]["requestBody"]["content"]
    examples = content["application/json"]["examples"]
    assert examples
    for example in examples.values():
        assert reader.post(path, json=example["value"]).status_code == 200


def test_every_operation_has_an_id_a_summary_and_its_problems(reader: TestClient):
    ids = []
    for operations in _description(reader)["paths"].values():
        for operation in operations.values():
            ids.append(operation["operationId"])
            assert operation["summary"]
            assert {"200", "400", "401", "403", "413", "503"} <= set(operation["responses"])
    assert len(ids) == len(set(ids)) == 12


def test_the_description_asks_for_a_key_where_one_is_needed(tmp_path_factory: Any):
    keys = [key_table("all", "key", "read")]
    services = services_in(tmp_path_factory.mktemp("described"), server={"keys": keys})
    client = client_of(services)
    description = _description(client)
    secured = {
        path
        for path, operations in description["paths"].items()
        if all("security" in operation for operation in operations.values())
    }
    assert secured == set(description["paths"]) - {"/healthz", "/readyz"}
    services.close()
