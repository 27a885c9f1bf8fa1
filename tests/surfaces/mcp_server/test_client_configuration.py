"""What docs/mcp.md tells people to paste starts this server."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from rag.surfaces.cli.app import build_app
from tests.project.documentation_page import blocks_of
from tests.project.repository import ROOT

PAGE = ROOT / "docs" / "mcp.md"


def servers_of(block: dict[str, Any]) -> dict[str, Any]:
    """Return the servers of a client's configuration, whatever the client calls them."""
    ((_, servers),) = block.items()
    found: dict[str, Any] = servers
    return found


def test_every_configuration_starts_the_server_with_options_that_it_has():
    pasted = [
        servers_of(
            json.loads(block.text) if block.language == "json" else tomllib.loads(block.text)
        )
        for block in blocks_of(PAGE)
        if block.language in ("json", "toml")
    ]
    started = [server for servers in pasted for server in servers.values() if "args" in server]
    assert len(pasted) == 6
    assert len(started) == 5
    for server in started:
        assert server["command"].endswith("rag")
        assert server["args"][0] == "mcp"
        command, _bound, unknown = build_app("mcp").parse_known_args(server["args"])[:3]
        assert command.__name__ == "mcp_command"
        assert unknown == []
