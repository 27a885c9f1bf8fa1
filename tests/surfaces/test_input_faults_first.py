"""What is wrong with a question is told before anything is opened, so without any base too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rag.assembly import open_base
from rag.settings import Settings, load_settings
from rag.surfaces.http_api.services import build_services
from rag.surfaces.shared_base import SharedBase
from tests.surfaces.cli.command_line import CommandLine
from tests.surfaces.cli.conftest import cli, quiet_place
from tests.surfaces.http_api.running import running
from tests.surfaces.mcp_server.serving import child_over_stdio

__all__ = ["cli", "quiet_place"]  # fixtures

FAULTS = {
    "empty_query": "",
    "query_too_long": "x" * 4_001,
}


@pytest.fixture(params=["nobase", "nobase.db"])
def nowhere(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings of a base that is not there, of either store."""
    return load_settings(
        store={"uri": str(tmp_path / request.param)},
        embedding={"embedder": "hashing", "cache": False},
        readonly=True,
    )


@pytest.fixture
def service(nowhere: Settings) -> Iterator[httpx.Client]:
    shared = SharedBase(lambda create: open_base(nowhere, create=create))
    with (
        running(build_services(nowhere, shared)) as (url, _),
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        yield client


@pytest.mark.scenario("lookup-tool", "A blank question without a base")
@pytest.mark.parametrize("code", FAULTS)
@pytest.mark.parametrize("operation", ["lookup", "search"])
def test_a_query_at_fault_is_told_without_a_base(
    cli: CommandLine, nowhere: Settings, service: httpx.Client, operation: str, code: str
):
    query, store = FAULTS[code], nowhere.store.uri
    assert cli.at(store)(operation, query, "--json").error["code"] == code
    answer = service.post(f"/v1/{operation}", json={"query": query})
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert not Path(store).exists()


def test_a_query_at_fault_is_told_over_mcp_without_a_base(tmp_path: Path):
    config = tmp_path / "rag.toml"
    config.write_text(f'[store]\nuri = "{(tmp_path / "no").as_posix()}"\n', "utf-8")
    with child_over_stdio(config, cwd=tmp_path) as client:
        for tool in ("lookup_knowledge", "search"):
            result = client.call(tool, query=" ")
            assert result.meta is not None
            assert result.meta["rag-evidence/error"]["code"] == "empty_query"


def test_a_missing_base_is_told_in_one_text_whatever_the_store(cli: CommandLine, tmp_path: Path):
    texts = set()
    for name in ("kb", "kb.db"):
        store = tmp_path / name
        error = cli.at(store)("lookup", "tea", "--json").error
        assert error["code"] == "store_not_initialised"
        texts.add((error["message"].replace(str(store), "STORE"), error["hint"]))
    assert texts == {
        ("there is no index at STORE yet", "ingest something first: rag ingest FOLDER")
    }
