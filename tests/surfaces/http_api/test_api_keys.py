"""API keys: who may do what, and whose documents a key is for."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from rag.errors import ForbiddenError, InvalidArgumentError, UnauthenticatedError
from rag.settings import ApiKeySettings
from rag.surfaces.http_api.api_keys import ApiKeyRing, digest_of, new_key_table
from rag.surfaces.http_api.services import Services
from tests.surfaces.http_api.service import client_of, fill, key_table, services_in, with_key

KEYS = [
    key_table("reader", "r-key", "read"),
    key_table("admin", "w-key", "read", "write"),
    key_table("acme", "a-key", "read", "write", tenant="acme"),
    key_table("globex", "g-key", "read", tenant="globex"),
]
EVERYTHING = [
    ("POST", "/v1/lookup", {"query": "secret"}),
    ("POST", "/v1/lookup/batch", {"queries": ["secret"]}),
    ("POST", "/v1/search", {"query": "secret"}),
    ("GET", "/v1/documents", None),
    ("GET", "/v1/documents/x", None),
    ("GET", "/v1/documents/x/chunks", None),
    ("GET", "/v1/chunks/x", None),
    ("DELETE", "/v1/documents/x", None),
    ("POST", "/v1/documents", {"name": "x.md", "text": "x"}),
    ("GET", "/metrics", None),
]


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    made = services_in(tmp_path_factory.mktemp("keys"), server={"keys": KEYS})
    fill(made.base, {"plan.md": "The secret of Acme is tin."}, tenant="acme")
    fill(made.base, {"plan.md": "The secret of Globex is lead."}, tenant="globex")
    fill(made.base, {"open.md": "There is no secret."})
    return made


@pytest.fixture
def client(services: Services) -> TestClient:
    return client_of(services)


def _ask(client: TestClient, key: str, body: dict[str, Any]) -> list[str]:
    answer = client.post("/v1/lookup", json=body, headers=with_key(key))
    assert answer.status_code == 200, answer.text
    return [item["text"] for item in answer.json()["evidence"]]


@pytest.mark.scenario("http-api", "No API key")
@pytest.mark.parametrize(("method", "path", "body"), EVERYTHING)
@pytest.mark.parametrize(
    "headers", [{}, with_key("wrong"), with_key(""), {"Authorization": "Basic cjpyLWtleQ=="}]
)
def test_nothing_is_told_without_a_key(
    client: TestClient, method: str, path: str, body: Any, headers: dict[str, str]
):
    answer = client.request(method, path, json=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_health_is_told_without_a_key(client: TestClient):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


@pytest.mark.parametrize("header", ["Authorization", "X-API-Key"])
def test_a_key_comes_in_either_header(client: TestClient, header: str):
    value = "Bearer r-key" if header == "Authorization" else "r-key"
    assert client.get("/v1/documents", headers={header: value}).status_code == 200


@pytest.mark.scenario("http-api", "A key that may only read")
@pytest.mark.parametrize("key", ["r-key", "g-key"])
def test_a_reading_key_writes_nothing(client: TestClient, key: str):
    for answer in (
        client.post("/v1/documents", json={"name": "x.md", "text": "x"}, headers=with_key(key)),
        client.delete("/v1/documents/x", headers=with_key(key)),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.scenario("http-api", "A key of one tenant")
@pytest.mark.parametrize(
    "body",
    [
        {"query": "secret"},
        {"query": "secret", "filters": {"path_prefix": "plan"}},
        {"query": "secret", "filters": {"tenant": "acme"}},
        {"query": "secret", "filters": None},
        {"query": "secret", "mode": "vector"},
    ],
)
def test_a_tenants_key_finds_its_own_documents_alone(client: TestClient, body: dict[str, Any]):
    assert _ask(client, "a-key", body) == ["The secret of Acme is tin."]


def test_a_key_without_a_tenant_finds_all(client: TestClient):
    assert len(_ask(client, "r-key", {"query": "secret"})) == 3


@pytest.mark.parametrize("path", ["/v1/lookup", "/v1/search"])
def test_another_tenant_is_refused_by_name(client: TestClient, path: str):
    body = {"query": "secret", "filters": {"tenant": "globex"}}
    answer = client.post(path, json=body, headers=with_key("a-key"))
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize(
    "body",
    [
        {"queries": ["secret"]},
        {"queries": [{"query": "secret", "filters": {}}]},
        {"queries": [{"query": "secret", "filters": None}]},
        {"queries": [{"query": "secret"}], "filters": {"path_prefix": "plan"}},
        {"queries": [{"query": "secret", "filters": {"lang": "en"}}], "filters": None},
        {"queries": [{"query": "secret", "session_id": "s"}], "session_id": "s"},
    ],
)
def test_every_question_of_a_batch_is_narrowed(client: TestClient, body: dict[str, Any]):
    answer = client.post("/v1/lookup/batch", json=body, headers=with_key("a-key")).json()
    texts = [item["text"] for result in answer["results"] for item in result["evidence"]]
    assert texts in (["The secret of Acme is tin."], [])
    assert "Globex" not in answer["context"]


@pytest.mark.parametrize(
    "body",
    [
        {"queries": ["secret"], "filters": {"tenant": "globex"}},
        {"queries": [{"query": "secret", "filters": {"tenant": "globex"}}]},
    ],
)
def test_a_batch_may_not_name_another_tenant(client: TestClient, body: dict[str, Any]):
    answer = client.post("/v1/lookup/batch", json=body, headers=with_key("a-key"))
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


def test_a_filter_at_fault_in_a_batch_searches_nothing(client: TestClient):
    body = {"queries": ["secret", "tin"], "filters": {"tenant": 7}}
    answer = client.post("/v1/lookup/batch", json=body, headers=with_key("a-key"))
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_filter")


def test_another_tenants_documents_are_not_there(client: TestClient, services: Services):
    theirs = services.base.documents({"tenant": "globex"})[0]
    chunk_id = services.base.inspect_document(theirs.doc_id).chunks[0].chunk.chunk_id
    addresses = (
        f"/v1/documents/{theirs.doc_id}",
        f"/v1/documents/{theirs.doc_id}/chunks",
        f"/v1/chunks/{chunk_id}?context=2",
    )
    for address in addresses:
        assert client.get(address, headers=with_key("g-key")).status_code == 200
        assert client.get(address, headers=with_key("a-key")).status_code == 404
    answer = client.delete(f"/v1/documents/{theirs.doc_id}", headers=with_key("a-key"))
    assert answer.status_code == 404
    listed = client.get("/v1/documents", headers=with_key("a-key")).json()
    assert [document["tenant"] for document in listed["documents"]] == ["acme"]
    asked = client.get("/v1/documents?tenant=globex", headers=with_key("a-key"))
    assert asked.status_code == 403


def test_a_path_names_the_tenants_own_document_among_several(client: TestClient):
    """Both tenants have a plan.md; without a tenant the name would be of two documents."""
    found = client.get("/v1/documents/plan.md", headers=with_key("a-key"))
    assert found.json()["text"] == "The secret of Acme is tin."
    chunks = client.get("/v1/documents/plan.md/chunks", headers=with_key("g-key")).json()
    assert [one["chunk"]["text"] for one in chunks["chunks"]] == ["The secret of Globex is lead."]
    both = client.get("/v1/documents/plan.md", headers=with_key("r-key"))
    assert (both.status_code, both.json()["code"]) == (400, "invalid_argument")
    assert "documents have the path" in both.json()["message"]


def test_what_a_tenants_key_writes_belongs_to_the_tenant(tmp_path: Path):
    services = services_in(tmp_path, server={"keys": KEYS})
    client = client_of(services, **with_key("a-key"))
    client.post("/v1/documents", json={"name": "a.md", "text": "one"})
    client.post("/v1/documents", files={"file": ("b.md", b"two")}, data={"tenant": "acme"})
    refused = client.post("/v1/documents", json={"name": "c.md", "text": "x", "tenant": "globex"})
    assert refused.status_code == 403
    assert {d.uri: d.tenant for d in services.base.documents()} == {"a.md": "acme", "b.md": "acme"}
    services.close()


def test_a_tenants_key_reads_no_files_and_learns_of_no_folders(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("text")
    server = {"keys": KEYS, "ingest_roots": [str(tmp_path)]}
    services = services_in(tmp_path, server=server)
    services.base.ingest(tmp_path / "docs", source="wiki")
    client = client_of(services, **with_key("a-key"))
    by_path = client.post("/v1/documents", json={"path": "docs"})
    by_source = client.post("/v1/documents", json={"name": "a.md", "text": "x", "source": "wiki"})
    for answer in (by_path, by_source):
        assert answer.status_code == 403
        assert str(tmp_path) not in answer.text
    assert client.get("/metrics").status_code == 403
    services.close()


def test_two_keys_do_not_share_a_session(client: TestClient):
    body = {"query": "zxcm", "session_id": "same"}
    lefts = [
        client.post("/v1/lookup", json=body, headers=with_key(key)).json()["retry"]["attempts_left"]
        for key in ("r-key", "w-key", "r-key")
    ]
    assert lefts == [2, 2, 1]


def test_a_ring_knows_a_key_by_its_digest_alone():
    settings = ApiKeySettings(name="ci", sha256=digest_of("the key"), scopes=("read",))
    ring = ApiKeyRing([settings])
    assert ring.caller("the key").name == "ci"
    for wrong in (None, "", "the key ", settings.sha256, "ключ", "\udcff"):
        with pytest.raises(UnauthenticatedError):
            ring.caller(wrong)
    with pytest.raises(ForbiddenError, match="may not write"):
        ring.caller("the key").require("write")


def test_a_new_key_fits_the_table_printed_with_it():
    text = new_key_table("ci", tenant='a"b', write=True)
    key = text.splitlines()[0].rsplit(": ", 1)[1]
    table = tomllib.loads(text)["server"]["keys"][0]
    caller = ApiKeyRing([ApiKeySettings.model_validate(table)]).caller(key)
    assert (caller.name, caller.tenant) == ("ci", 'a"b')
    assert caller.scopes == {"read", "write"}
    assert new_key_table("ci") != new_key_table("ci")
    with pytest.raises(InvalidArgumentError, match="'name' cannot be"):
        new_key_table("no name")
