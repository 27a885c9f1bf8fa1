"""Documents over HTTP: list, read, add, remove."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from rag.surfaces.http_api.services import Services
from tests.surfaces.http_api.service import client_of, fill, services_in

NOTE = "# Backups\n\nKept for 35 days.\n\n## Restoring\n\nAsk the owner first.\n"


def _upload(client: TestClient, file: str, data: bytes, **fields: Any) -> Any:
    return client.post("/v1/documents", files={"file": (file, data)}, data=fields)


def test_documents_are_listed_by_source_and_path_a_page_at_a_time(reader: TestClient):
    whole = reader.get("/v1/documents").json()
    paths = [document["uri"] for document in whole["documents"]]
    assert paths == sorted(paths)
    assert whole["total"] == len(paths) == 8
    page = reader.get("/v1/documents", params={"limit": 2, "offset": 3}).json()
    assert [document["uri"] for document in page["documents"]] == paths[3:5]
    assert page["total"] == 8


def test_filters_narrow_the_list(reader: TestClient):
    found = reader.get("/v1/documents?lang=zh&lang=ko").json()
    assert {document["language"] for document in found["documents"]} == {"zh", "ko"}
    found = reader.get("/v1/documents?path_prefix=security/").json()
    assert [document["uri"] for document in found["documents"]] == ["security/keys.md"]


@pytest.mark.parametrize(
    "query", ["limit=10001", "offset=-1", "limit=x", "limit=-1", "colour=red", "limit=1&limit=2"]
)
def test_options_at_fault_are_named(reader: TestClient, query: str):
    answer = reader.get(f"/v1/documents?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_argument")


def test_a_document_its_lines_and_its_chunks_are_read_back(writer: TestClient, services: Services):
    fill(services.base, {"notes/backups.md": NOTE})
    doc_id = writer.get("/v1/documents").json()["documents"][0]["doc_id"]
    assert writer.get(f"/v1/documents/{doc_id}").json()["text"] == NOTE
    span = writer.get(f"/v1/documents/{doc_id}?start=3&end=5").json()
    assert (span["text"], span["start"], span["end"]) == (
        "Kept for 35 days.\n\n## Restoring\n",
        3,
        5,
    )
    assert writer.get(f"/v1/documents/{doc_id}?start=3").json()["text"] == "Kept for 35 days.\n"
    inspection = writer.get(f"/v1/documents/{doc_id}/chunks").json()
    assert "".join(one["chunk"]["text"] for one in inspection["chunks"]) == NOTE
    chunk_id = inspection["chunks"][0]["chunk"]["chunk_id"]
    chunk = writer.get(f"/v1/chunks/{chunk_id}?context=1").json()
    assert chunk["chunk"]["chunk_id"] == chunk_id


@pytest.mark.parametrize("path", ["/v1/documents/nothing", "/v1/chunks/nothing"])
def test_what_is_not_there_is_not_found(reader: TestClient, path: str):
    answer = reader.get(path)
    assert answer.status_code == 404
    assert answer.json()["code"] in {"document_not_found", "chunk_not_found"}


@pytest.mark.scenario("http-api", "A document by its path")
@pytest.mark.parametrize("name", ["shift.md", "notes/shift.md", "notes%2Fshift.md", "a/b%2Fc d.md"])
def test_a_document_is_named_by_its_path_with_slashes_as_they_are_or_encoded(
    writer: TestClient, services: Services, name: str
):
    fill(services.base, {unquote(name): NOTE})
    assert writer.get(f"/v1/documents/{name}").json()["uri"] == unquote(name)
    assert writer.get(f"/v1/documents/{name}?start=3").json()["text"] == "Kept for 35 days.\n"
    inspected = writer.get(f"/v1/documents/{name}/chunks").json()
    assert inspected["document"]["uri"] == unquote(name)
    assert writer.delete(f"/v1/documents/{name}").json()["name"] == unquote(name)
    assert writer.get(f"/v1/documents/{name}").json()["code"] == "document_not_found"


@pytest.mark.parametrize(
    "path", ["..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "a%00b", "notes/", "/", "notes//shift.md"]
)
def test_a_path_is_a_key_of_the_base_and_never_a_file(
    writer: TestClient, services: Services, path: str
):
    fill(services.base, {"notes/shift.md": NOTE})
    for answer in (writer.get(f"/v1/documents/{path}"), writer.delete(f"/v1/documents/{path}")):
        assert (answer.status_code, answer.json()["code"]) == (404, "document_not_found")
    assert len(services.base.documents()) == 1


@pytest.mark.scenario("http-api", "An uploaded file")
def test_an_uploaded_file_can_be_looked_up(writer: TestClient):
    answer = _upload(writer, "backups.md", NOTE.encode(), tags=["ops", "store"], source="wiki")
    assert answer.status_code == 200
    assert (answer.json()["new"], answer.json()["source"]) == (1, "wiki")
    found = writer.post("/v1/lookup", json={"query": "backups", "filters": {"tags": "ops"}}).json()
    assert found["evidence"][0]["citation"]["uri"] == "backups.md"
    assert _upload(
        writer, "backups.md", NOTE.encode(), tags=["ops", "store"], source="wiki"
    ).json()["unchanged"]


def test_a_name_beside_the_file_decides_where_it_is_stored(writer: TestClient):
    _upload(writer, "C:\\fake\\x.md", NOTE.encode(), name="guide/a.md")
    _upload(writer, "../../etc/b.md", NOTE.encode())
    uris = [document["uri"] for document in writer.get("/v1/documents").json()["documents"]]
    assert uris == ["b.md", "guide/a.md"]


def test_a_text_is_stored_under_its_name(writer: TestClient):
    body = {"name": "notes/today.md", "text": NOTE, "tags": ["diary"], "trust": "generated"}
    assert writer.post("/v1/documents", json=body).json()["new"] == 1
    document = writer.get("/v1/documents").json()["documents"][0]
    assert (document["uri"], document["tags"], document["trust"]) == (
        "notes/today.md",
        ["diary"],
        "generated",
    )


@pytest.mark.parametrize(
    "body",
    [
        {"name": "../up.md", "text": "x"},
        {"name": "/etc/x.md", "text": "x"},
        {"name": "x.unknown", "text": "x"},
        {"name": "x.md"},
        {"text": "x"},
        {"name": "x.md", "text": "x", "source": "no/name"},
        {"name": "x.md", "text": "x", "trust": "absolute"},
        {"name": "x.md", "text": "x", "tags": "one"},
        {"name": "x.md", "text": "x", "path": "both.md"},
        {},
    ],
)
def test_a_text_that_cannot_be_stored_is_refused(writer: TestClient, body: dict[str, Any]):
    answer = writer.post("/v1/documents", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_argument")
    assert writer.get("/v1/documents").json()["total"] == 0


@pytest.mark.parametrize(
    ("name", "data"),
    [("empty.md", b""), ("blank.md", b" \n\n"), ("a.pdf", b"no pdf"), ("b.md", b"\0\1\2")],
)
def test_a_file_without_text_is_told_with_the_reason(writer: TestClient, name: str, data: bytes):
    answer = _upload(writer, name, data)
    assert (answer.status_code, answer.json()["code"]) == (422, "unreadable_file")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"--x\r\nno form", "multipart/form-data; boundary=x"),
        (b"x", "multipart/form-data"),
        (b"--x--\r\n", "multipart/form-data; boundary=x"),
        (
            b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
    ],
)
def test_a_form_without_a_file_is_refused(writer: TestClient, body: bytes, kind: str):
    answer = writer.post("/v1/documents", content=body, headers={"content-type": kind})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_argument")


def test_documents_of_another_kind_of_body_are_refused(writer: TestClient):
    answer = writer.post("/v1/documents", content=b"x", headers={"content-type": "text/plain"})
    assert answer.status_code == 415


@pytest.mark.scenario("http-api", "A removed document")
def test_a_removed_document_is_gone(writer: TestClient, services: Services):
    fill(services.base, {"a.md": NOTE, "b.md": "Something else."})
    doc_id = writer.get("/v1/documents?path_prefix=a").json()["documents"][0]["doc_id"]
    report = writer.delete(f"/v1/documents/{doc_id}").json()
    assert (report["scope"], report["name"], report["documents"]) == ("document", "a.md", 1)
    assert writer.delete(f"/v1/documents/{doc_id}").status_code == 404
    assert (
        writer.post("/v1/lookup", json={"query": "35 days", "mode": "lexical"}).json()["evidence"]
        == []
    )


@pytest.fixture
def rooted(tmp_path: Path) -> TestClient:
    """A service that may read below ``allowed``, with a secret beside it."""
    allowed = tmp_path / "allowed"
    (allowed / "inside").mkdir(parents=True)
    (allowed / "inside" / "a.md").write_text(NOTE)
    (tmp_path / "secret.md").write_text("the secret")
    (allowed / "link.md").symlink_to(tmp_path / "secret.md")
    return client_of(services_in(tmp_path, server={"ingest_roots": [str(allowed)]}))


@pytest.mark.parametrize("path", ["inside", "inside/a.md", "{root}/inside/a.md", "."])
def test_a_path_below_an_allowed_folder_is_read(rooted: TestClient, path: str, tmp_path: Path):
    path = path.format(root=tmp_path / "allowed")
    report = rooted.post("/v1/documents", json={"path": path}).json()
    assert report["new"] == 1


@pytest.mark.scenario("http-api", "A path outside the allowed folders")
@pytest.mark.parametrize(
    "path",
    ["../secret.md", "{root}/secret.md", "link.md", "/etc/passwd", "/nowhere", "inside/../../x"],
)
def test_a_path_outside_is_refused_whether_it_exists_or_not(
    rooted: TestClient, path: str, tmp_path: Path
):
    answer = rooted.post("/v1/documents", json={"path": path.format(root=tmp_path)})
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert rooted.get("/v1/documents").json()["total"] == 0


def test_a_path_with_nothing_is_not_found(rooted: TestClient):
    answer = rooted.post("/v1/documents", json={"path": "inside/b.md"})
    assert (answer.status_code, answer.json()["code"]) == (404, "path_not_found")


@pytest.mark.parametrize("path", ["a\0b", "x" * 3_999])
def test_a_path_that_is_none_is_refused(rooted: TestClient, path: str):
    assert rooted.post("/v1/documents", json={"path": path}).status_code == 400


def test_without_allowed_folders_no_path_is_read(writer: TestClient, tmp_path: Path):
    (tmp_path / "a.md").write_text(NOTE)
    answer = writer.post("/v1/documents", json={"path": str(tmp_path / "a.md")})
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


def test_a_read_only_service_writes_nothing(tmp_path: Path):
    filled = services_in(tmp_path)
    fill(filled.base, {"a.md": NOTE})
    doc_id = filled.base.documents()[0].doc_id
    filled.close()
    client = client_of(services_in(tmp_path, readonly=True))
    for answer in (
        client.post("/v1/documents", json={"name": "b.md", "text": "x"}),
        client.delete(f"/v1/documents/{doc_id}"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "readonly")
    assert client.get("/v1/documents").json()["total"] == 1
