"""What may be said of a document that is stored is the same on every surface."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from rag.assembly import open_base
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import RagError
from rag.settings import Settings
from rag.surfaces.http_api.services import build_services
from rag.surfaces.mcp_server.server import build_server
from rag.surfaces.shared_base import SharedBase
from rag.wire import to_wire
from tests.surfaces.askers import ERROR_FIELDS
from tests.surfaces.cli.command_line import CommandLine
from tests.surfaces.http_api.service import client_of, settings_in
from tests.surfaces.mcp_server.serving import LiveClient, connected

TEXT = "# Tea\n\nGreen tea steeps for two minutes.\n"
ABOUT: dict[str, Any] = {
    "source": "wiki",
    "tenant": "acme",
    "tags": ["drinks", "hot"],
    "trust": "secondary",
    "source_type": "page",
}
MOST_BYTES = 2_000
Ingest = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Four bases that may be written, one for each surface, and what writes into the last two."""

    folder: Path
    python: KnowledgeBase
    mcp: LiveClient
    http: TestClient


def settings_of(folder: Path, surface: str) -> Settings:
    (folder / surface).mkdir(exist_ok=True)
    return settings_in(
        folder / surface,
        server={"ingest_roots": [str(folder)]},
        ingest={"max_file_bytes": MOST_BYTES},
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    folder = tmp_path_factory.mktemp("written")
    (folder / "tea.md").write_text(TEXT, "utf-8")
    over_mcp = settings_of(folder, "mcp")
    shared = SharedBase(lambda create: open_base(over_mcp, create=create))
    over_http = settings_of(folder, "http")
    services = build_services(
        over_http, SharedBase(lambda create: open_base(over_http, create=create))
    )
    server = build_server(over_mcp, shared, roots=[folder])
    with open_base(settings_of(folder, "python")) as base, connected(server) as mcp:
        yield Written(folder=folder, python=base, mcp=mcp, http=client_of(services))
    services.close()


@pytest.fixture
def ingests(
    written: Written, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Ingest]:
    """Return what stores a text or a file by each surface and gives the report or the error."""
    monkeypatch.setenv("RAG_EMBEDDING__EMBEDDER", "hashing")
    monkeypatch.setenv("RAG_EMBEDDING__CACHE", "false")
    monkeypatch.setenv("RAG_INGEST__MAX_FILE_BYTES", str(MOST_BYTES))
    (written.folder / "cli").mkdir(exist_ok=True)
    cli = CommandLine(capsys, monkeypatch, "--store", str(written.folder / "cli" / "kb"))

    def by_python(given: dict[str, Any]) -> Any:
        about = {name: value for name, value in given.items() if name not in ("text", "path")}
        try:
            if "path" in given:
                return to_wire(written.python.ingest(given["path"], **about))
            return to_wire(written.python.ingest_text(given["text"], **about))
        except RagError as error:
            return error.to_wire()

    def by_cli(given: dict[str, Any]) -> Any:
        words = ["ingest", given.get("path", "-")]
        for name, value in given.items():
            if name not in ("path", "text"):
                several = value if isinstance(value, list) else [value]
                words += [f"--{name.replace('_', '-')}={one}" for one in several]
        ran = cli(*words, "--json", stdin=given.get("text"))
        return ran.json if ran.out else ran.error

    def by_mcp(given: dict[str, Any]) -> Any:
        tool = "ingest_file" if "path" in given else "ingest_text"
        result = written.mcp.call(tool, **given)
        if result.is_error:
            assert result.meta is not None
            return result.meta["rag-evidence/error"]
        return result.structured_content

    def by_http(given: dict[str, Any]) -> Any:
        answer = written.http.post("/v1/documents", json=given)
        if answer.is_success:
            return answer.json()
        return {name: answer.json()[name] for name in ERROR_FIELDS}

    return {"python": by_python, "cli": by_cli, "mcp": by_mcp, "http": by_http}


def untimed(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report without what a clock decided."""
    return {name: value for name, value in report.items() if name != "duration_ms"}


def test_a_text_is_stored_alike(ingests: dict[str, Ingest], written: Written):
    given = {**ABOUT, "name": "drinks/tea.md", "text": TEXT}
    reports = {surface: untimed(ingest(given)) for surface, ingest in ingests.items()}
    assert reports["python"]["new"] == 1
    for surface, report in reports.items():
        assert report == reports["python"], surface
    (document,) = written.http.get("/v1/documents").json()["documents"]
    (here,) = written.python.documents({"source": "wiki"})
    stored = to_wire(here)
    del stored["indexed_at"]
    assert {name: document[name] for name in stored} == stored


def test_a_file_is_stored_alike(ingests: dict[str, Ingest], written: Written):
    given = {**ABOUT, "source": "disk", "path": str(written.folder / "tea.md")}
    reports = {surface: untimed(ingest(given)) for surface, ingest in ingests.items()}
    assert reports["python"]["new"] == 1
    for surface, report in reports.items():
        assert report == reports["python"], surface


FAULTS: dict[str, dict[str, Any]] = {
    "a trust that is none": {"trust": "full"},
    "a source without a name": {"source": ""},
    "a source with a blank": {"source": "a b"},
    "a source of 101 characters": {"source": "x" * 101},
    "a tenant of 201 characters": {"tenant": "x" * 201},
    "a type without a name": {"source_type": ""},
    "a type of 101 characters": {"source_type": "x" * 101},
    "101 tags": {"tags": [str(n) for n in range(101)]},
    "a name without a suffix": {"name": "tea"},
    "a name that leads out": {"name": "../tea.md"},
    "a name of nothing": {"name": ""},
    "a name of 4,001 characters": {"name": "x" * 3_998 + ".md"},
    "a text of nothing": {"text": ""},
    "a text of blanks": {"text": " \n"},
    "a text larger than a file may be": {"text": "tea " * 600},
}


@pytest.mark.scenario("lookup-tool", "One fault by every way")
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_alike(name: str, ingests: dict[str, Ingest]):
    given = {**ABOUT, "name": "new/tea.md", "text": TEXT, **FAULTS[name]}
    errors = {surface: ingest(given) for surface, ingest in ingests.items()}
    assert errors["python"]["schema_version"] == "error.v1"
    for surface, error in errors.items():
        assert error == errors["python"], surface


@pytest.mark.parametrize("key", ["path", "name"])
def test_a_path_with_a_nul_is_told_alike(key: str, ingests: dict[str, Ingest]):
    given = {**ABOUT, **({} if key == "path" else {"text": TEXT}), key: "a\0b.md"}
    # the words of a command end at a NUL, so the command line cannot be asked
    errors = [ingests[surface](given) for surface in ("python", "mcp", "http")]
    assert errors == [errors[0]] * 3
    assert errors[0]["code"] == "invalid_argument"


@pytest.mark.parametrize("name", ["a trust that is none", "101 tags", "a source without a name"])
def test_a_fault_beside_a_path_is_told_alike(
    name: str, ingests: dict[str, Ingest], written: Written
):
    given = {**ABOUT, "path": str(written.folder / "tea.md"), **FAULTS[name]}
    errors = {surface: ingest(given) for surface, ingest in ingests.items()}
    for surface, error in errors.items():
        assert error == errors["python"], surface
    assert errors["python"]["code"] == "invalid_argument"
