"""The protocol's inspector as a client that is not ours; needs Node and the npm registry.

Not collected with the other tests, which need neither; ``.ci/run`` runs it by itself::

    pytest tests/surfaces/mcp_server/with_node.py
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rag
from rag.settings import load_settings
from tests.surfaces.mcp_server.serving import environment, write_config

# The last version that runs on Node 20; later ones want 22.
INSPECTOR = "@modelcontextprotocol/inspector@1.0.3"
LIMIT_S = 300  # the first run downloads it


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = write_config(tmp_path_factory.mktemp("inspected"))
    config = written.rename(written.with_name("rag.toml"))  # found by itself where it stands
    with rag.open(load_settings(config)) as base:
        base.ingest_text("# Heron\n\nThe heron waits in the reeds.\n", name="heron.md")
    return config


def inspected(config: Path, *arguments: str) -> dict[str, Any]:
    """Return what the inspector prints; it holds results against their schemas itself."""
    done = subprocess.run(
        ["npx", "--yes", INSPECTOR, "--cli", sys.executable, "-m", "rag", "mcp", *arguments],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        env=environment(),
        cwd=config.parent,
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def called(config: Path, tool: str, **arguments: str) -> dict[str, Any]:
    given = [part for item in arguments.items() for part in ("--tool-arg", "=".join(item))]
    return inspected(config, "--method", "tools/call", "--tool-name", tool, *given)


def test_the_inspector_lists_the_tools(config: Path):
    tools = {tool["name"]: tool for tool in inspected(config, "--method", "tools/list")["tools"]}
    assert len(tools) == 8
    assert tools["lookup_knowledge"]["annotations"]["readOnlyHint"] is True
    assert tools["ingest_text"]["annotations"]["destructiveHint"] is True


def test_the_inspector_gets_cited_evidence(config: Path):
    result = called(config, "lookup_knowledge", query="where does the heron wait?")
    found = result["structuredContent"]
    assert found["schema_version"] == "rag_tool_result.v1"
    assert found["evidence"][0]["citation"]["uri"] == "heron.md"
    assert "The heron waits in the reeds." in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "heron"}),
        ("fetch", {"kind": "document", "name": "heron.md"}),
        ("lookup_knowledge_batch", {"queries": '["heron", "reeds"]'}),
        ("ingest_text", {"text": "# Stork", "name": "stork.md"}),
        ("schema", {}),
        ("doctor", {}),
    ],
)
def test_the_inspector_accepts_every_result(config: Path, tool: str, arguments: dict[str, str]):
    result = called(config, tool, **arguments)
    assert not result.get("isError")
    assert result["structuredContent"]["schema_version"].endswith(".v1")


def test_the_inspector_gets_an_error_as_a_result(config: Path):
    result = called(config, "fetch", kind="document", name="missing.md")
    assert result["isError"] is True
    assert "code: document_not_found" in result["content"][0]["text"]
    assert result["_meta"]["rag-evidence/error"]["code"] == "document_not_found"
