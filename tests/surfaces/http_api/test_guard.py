"""Requests that a page on another site made are turned away."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from rag.errors import ConfirmationRequiredError, ForbiddenError
from rag.settings import ServerSettings
from rag.surfaces.http_api.guard import RequestGuard
from rag.surfaces.http_api.http_errors import HostNotAllowedError
from rag.surfaces.http_api.server import check_exposure
from tests.surfaces.http_api.service import key_table

GUARD = RequestGuard("127.0.0.1", ["kb.example.org"])


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8766", "localhost", "localhost:80", "[::1]:8766", "10.1.2.3", "kb.example.org:443"],
)
def test_own_names_and_plain_addresses_pass(host: str):
    GUARD.check("POST", Headers({"host": host}))


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "localhost.evil.example", "evil.example:8766", "127.0.0.1.nip.io", "[::1"],
)
def test_a_foreign_host_is_refused(host: str):
    with pytest.raises(HostNotAllowedError):
        GUARD.check("GET", Headers({"host": host}))


@pytest.mark.scenario("http-api", "A rebound domain name")
def test_a_rebound_name_gets_no_answer(reader: TestClient):
    answer = reader.post(
        "/v1/lookup", json={"query": "backups"}, headers={"host": "evil.example:8766"}
    )
    assert (answer.status_code, answer.json()["code"]) == (421, "forbidden")
    assert "evidence" not in answer.json()


@pytest.mark.scenario("http-api", "A page of another site")
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:3000", "http://["]
)
def test_another_sites_page_cannot_write(writer: TestClient, origin: str):
    answer = writer.post(
        "/v1/documents", files={"file": ("x.md", b"planted")}, headers={"origin": origin}
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert writer.get("/v1/documents").json()["total"] == 0


def test_the_services_own_pages_may_ask(reader: TestClient):
    own = {"origin": "http://127.0.0.1:8766", "sec-fetch-site": "same-origin"}
    assert reader.post("/v1/lookup", json={"query": "x"}, headers=own).status_code == 200


def test_a_link_elsewhere_may_lead_here_but_no_script_may_ask():
    link = {"host": "localhost", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    GUARD.check("GET", Headers(link))
    for method, mode in (("POST", "navigate"), ("GET", "no-cors")):
        with pytest.raises(ForbiddenError):
            GUARD.check(method, Headers({**link, "sec-fetch-mode": mode}))


def test_no_answer_lets_another_origin_read_it(reader: TestClient):
    answer = reader.options(
        "/v1/lookup", headers={"access-control-request-method": "POST", "origin": "http://a.b"}
    )
    assert answer.status_code == 403
    for response in (answer, reader.get("/healthz")):
        assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.mark.scenario("http-api", "Without keys beyond this machine")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "kb.example.org"])
def test_other_machines_are_let_in_only_with_keys_or_on_purpose(host: str):
    with pytest.raises(ConfirmationRequiredError, match="no API key is set"):
        check_exposure(ServerSettings(host=host))
    check_exposure(ServerSettings(host=host, allow_without_keys=True))
    keys = [key_table("ci", "key", "read")]
    check_exposure(ServerSettings.model_validate({"host": host, "keys": keys}))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LOCALHOST"])
def test_this_machine_alone_needs_no_keys(host: str):
    check_exposure(ServerSettings(host=host))
