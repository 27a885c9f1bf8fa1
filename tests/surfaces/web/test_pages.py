"""The inspector's pages without a browser: what stands in them, who may see them."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rag.errors import StoreError
from rag.stores.local import LexicalRetriever
from rag.surfaces.http_api.services import Services
from rag.surfaces.web import inspector
from tests.surfaces.http_api.service import PROBLEM, client_of, fill, key_table, services_in

HTML = {"accept": "text/html"}


def _basic(key: str) -> dict[str, str]:
    token = base64.b64encode(f"me:{key}".encode()).decode()
    return {**HTML, "authorization": f"Basic {token}"}


@pytest.fixture
def services(tmp_path: Path) -> Services:
    keys = [
        key_table("all", "all-key", "read"),
        key_table("acme", "acme-key", "read", tenant="acme"),
        key_table("writer", "write-key", "write"),
    ]
    made = services_in(tmp_path, server={"keys": keys})
    fill(made.base, {"a.md": "the keys of acme"}, tenant="acme")
    fill(made.base, {"b.md": "the keys of globex"}, tenant="globex")
    return made


@pytest.mark.scenario("web-inspector", "Where keys are set")
def test_a_browser_is_asked_for_the_key(services: Services):
    client = client_of(services)
    for path in ("/", "/?q=keys", "/compare", "/documents", "/health"):
        answer = client.get(path, headers=HTML)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Basic realm=")
        assert answer.headers["content-type"].startswith("text/html")
        assert client.get(path, headers=_basic("all-key")).status_code == 200
    assert client.get("/", headers=_basic("wrong")).status_code == 401
    assert client.get("/", headers={"authorization": "Basic !"}).status_code == 401
    assert client.get("/", headers=_basic("write-key")).status_code == 403


def test_what_a_browser_sends_by_itself_opens_pages_only(services: Services):
    client = client_of(services)
    answer = client.post("/v1/lookup", json={"query": "keys"}, headers=_basic("all-key"))
    assert answer.status_code == 401


def test_a_tenants_key_shows_its_own_documents_alone(services: Services):
    client = client_of(services)
    page = client.get("/?q=keys", headers=_basic("acme-key")).text
    assert "a.md" in page
    assert "globex" not in page
    assert "b.md" not in page
    listed = client.get("/documents", headers=_basic("acme-key")).text
    assert "b.md" not in listed
    theirs = services.base.documents({"tenant": "globex"})[0].doc_id
    assert client.get(f"/documents/{theirs}", headers=_basic("acme-key")).status_code == 404
    assert client.get("/health", headers=_basic("acme-key")).status_code == 403
    assert "chunks" not in client.get("/", headers=_basic("acme-key")).text


@pytest.mark.scenario("web-inspector", "A strict content-security policy")
def test_no_page_has_a_script_or_a_style_of_its_own(services: Services):
    client = client_of(services)
    doc_id = services.base.documents()[0].doc_id
    for path in ("/", "/?q=keys", "/compare?q=keys", "/documents", f"/documents/{doc_id}", "/x"):
        answer = client.get(path, headers=_basic("all-key"))
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        page = answer.text
        assert re.findall(r"<script(?![^>]* src=)", page) == []
        assert "<style" not in page
        assert re.findall(r"\s(?:style|on\w+)=", page) == []
        outside = re.findall(r'(?:src|href|action)="(?!/|#|\?)([^"]*)"', page)
        assert outside == []


def test_static_files_are_served_and_nothing_beside_them(services: Services):
    client = client_of(services)
    for name, kind in (("inspector.css", "text/css"), ("inspector.js", "javascript")):
        answer = client.get(f"/static/{name}")
        assert kind in answer.headers["content-type"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    for path in ("/static/", "/static/../inspector.py", "/static/%2e%2e/inspector.py"):
        assert client.get(path).status_code == 404


def test_the_script_is_a_few_hundred_lines_at_most():
    lines = (inspector.STATIC / "inspector.js").read_text().splitlines()
    assert len(lines) < 200


def test_programs_get_problem_documents_where_people_get_pages(services: Services):
    client = client_of(services)
    assert client.get("/nothing").headers["content-type"] == PROBLEM
    assert client.get("/nothing", headers=HTML).headers["content-type"].startswith("text/html")
    assert client.get("/v1/nothing", headers=HTML).headers["content-type"] == PROBLEM
    assert client.get("/v1/documents", headers=HTML).headers["content-type"] == PROBLEM


@pytest.mark.scenario("web-inspector", "An address where nothing is")
def test_a_person_who_is_lost_is_led_to_the_search(services: Services):
    client = client_of(services)
    page = client.get("/nothing/<b>", headers=HTML)
    assert page.status_code == 404
    assert "openapi" not in page.text
    assert '<form class="ask" action="/"' in page.text
    assert "/nothing/&lt;b&gt;" in page.text
    program = client.get("/nothing").json()
    assert "see /openapi.json" in program["hint"]
    unknown = client.get("/documents/nothing", headers=_basic("all-key")).text
    assert 'role="alert"' in unknown  # there are documents; this one is not among them


def test_a_question_of_blanks_is_said_to_be_one(services: Services):
    client = client_of(services)
    for page in ("/", "/compare"):
        assert "only blanks" in client.get(f"{page}?q=%20", headers=_basic("all-key")).text
        assert "only blanks" not in client.get(f"{page}?q=", headers=_basic("all-key")).text


def test_a_question_that_is_too_long_is_said_to_be_so_and_kept(services: Services):
    question = "key " * 1_500
    answer = client_of(services).get("/", params={"q": question}, headers=_basic("all-key"))
    assert answer.status_code == 400
    assert "4,000" in answer.text
    assert f'value="{question}"' in answer.text


def test_the_inspector_can_be_turned_off(tmp_path: Path):
    services = services_in(tmp_path, server={"inspector": False})
    client = client_of(services)
    for path in ("/", "/static/inspector.css", "/documents"):
        answer = client.get(path, headers=HTML)
        assert (answer.status_code, answer.headers["content-type"]) == (404, PROBLEM)
    assert client.get("/healthz").status_code == 200
    services.close()


@pytest.mark.parametrize(
    "query",
    ["q=x&mode=fuzzy", "q=x&k=x", "q=x&budget=-1", "q=x&trust_min=some", "q=x&indexed_after=then"],
)
@pytest.mark.parametrize("page", ["/", "/compare"])
def test_fields_at_fault_are_said_on_the_page(services: Services, page: str, query: str):
    if page == "/compare" and "budget" in query:
        query = "q=x&other=fuzzy"
    answer = client_of(services).get(f"{page}?{query}", headers=_basic("all-key"))
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert 'name="q"' in answer.text


@pytest.mark.parametrize(
    "path", ["/documents/nothing", "/documents?offset=x", "/documents?indexed_after=then"]
)
def test_other_faults_are_pages_of_their_own(services: Services, path: str):
    answer = client_of(services).get(path, headers=_basic("all-key"))
    assert answer.status_code in {400, 404}
    assert 'role="alert"' in answer.text


def test_a_failed_channel_is_shown_as_failed(services: Services, monkeypatch: pytest.MonkeyPatch):
    def dies(*_: object) -> None:
        raise StoreError("the index of words is gone")

    monkeypatch.setattr(LexicalRetriever, "search", dies)
    monkeypatch.setattr(LexicalRetriever, "search_with_terms", dies)
    page = client_of(services).get("/?q=keys", headers=_basic("all-key")).text
    assert re.search(r'class="channel error"><b>lexical</b>\s*<span class="status">error', page)
    assert "the index of words is gone" in page


def test_a_long_list_has_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("rag.surfaces.web.pages.DOCUMENTS_PER_PAGE", 2)
    services = services_in(tmp_path)
    fill(services.base, {f"{n}.md": f"text {n}" for n in range(5)})
    client: TestClient = client_of(services)
    first = client.get("/documents?source=files", headers=HTML).text
    assert re.findall(r'href="(/documents\?[^"]*offset=2)"', first) == [
        "/documents?source=files&amp;offset=2"
    ]
    last = client.get("/documents?offset=4", headers=HTML).text
    assert "4.md" in last
    assert "before" in last
    assert "after →" not in last
    services.close()
