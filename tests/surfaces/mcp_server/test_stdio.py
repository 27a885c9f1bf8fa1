"""The server as a process: its streams, its start, its end."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import rag
from rag.settings import load_settings
from rag.surfaces.mcp_server.stdio import readable
from tests.surfaces.mcp_server.conftest import Served
from tests.surfaces.mcp_server.serving import (
    LIMIT_S,
    child_over_stdio,
    command,
    environment,
    error_of,
    without_timing,
    write_config,
)

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bare", "version": "1"},
}


class BareClient:
    """Writes frames and reads lines; no library between the test and the pipe."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._requests = 0

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request; return its response, and keep every line that came before it."""
        self._requests += 1
        self.send({"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params})
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            frame: dict[str, Any] = json.loads(line)
            if frame.get("id") == self._requests:
                return frame
        raise AssertionError("standard output closed before the response came")

    def send(self, frame: dict[str, Any]) -> None:
        """Send one frame."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(frame) + "\n")
        self.process.stdin.flush()


@contextmanager
def bare_client(config: Path, log: Path) -> Iterator[BareClient]:
    with (
        log.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            command(config, "--readonly"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=environment(),
            cwd=log.parent,
        ) as process,
    ):
        try:
            client = BareClient(process)
            client.request("initialize", INITIALIZE)
            client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            yield client
        finally:
            process.kill()


@pytest.mark.scenario("mcp-server", "Debug logging on standard streams")
def test_standard_output_carries_frames_only(served: Served, tmp_path: Path):
    log = tmp_path / "stderr.txt"
    with bare_client(served.config, log) as client:
        asked = {"name": "lookup_knowledge", "arguments": {"query": "walrus"}}
        answer = client.request("tools/call", asked)
        unknown = client.request("tools/call", {"name": "nothing", "arguments": {}})
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(LIMIT_S) == 0
        assert client.process.stdout is not None
        rest = client.process.stdout.read()
    assert answer["result"]["structuredContent"]["evidence"]
    assert unknown["error"]["code"] == -32_602
    frames = [json.loads(line) for line in (*client.lines, *rest.splitlines())]
    assert all(frame["jsonrpc"] == "2.0" for frame in frames)
    said = log.read_text(encoding="utf-8")
    assert "the base was opened" in said
    assert "a tool was called" in said


@pytest.mark.scenario("mcp-server", "Half an emoji")
def test_a_request_with_half_an_emoji_is_answered(served: Served, tmp_path: Path):
    """JSON's escapes can say what no text can hold; JSON.stringify of JavaScript writes them."""
    with bare_client(served.config, tmp_path / "stderr.txt") as client:
        asked = {"name": "search", "arguments": {"query": "walrus \ud83d", "k": 1}}
        answer = client.request("tools/call", asked)
    assert answer["result"]["structuredContent"]["query"] == "walrus \N{REPLACEMENT CHARACTER}"
    assert answer["result"]["structuredContent"]["hits"]


def test_only_half_characters_of_a_frame_are_changed():
    whole = json.dumps({"text": "\U0001f600 \\ud83d é"})
    assert json.loads(readable(whole)) == json.loads(whole)
    assert readable('{"a": 1}\n') == '{"a": 1}\n'
    assert readable("no json \\ud83d") == "no json \\ud83d"
    assert json.loads(readable(json.dumps({"text": "a\udc00b"}))) == {"text": "a\ufffdb"}


@pytest.mark.scenario("mcp-server", "A signal while nothing happens")
def test_a_signal_ends_the_server_though_its_client_is_silent(served: Served, tmp_path: Path):
    with bare_client(served.config, tmp_path / "stderr.txt") as client:
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(LIMIT_S) == 128 + signal.SIGTERM
    assert "Traceback" not in (tmp_path / "stderr.txt").read_text(encoding="utf-8")


@pytest.mark.scenario("mcp-server", "Thirty-two first calls at once")
def test_first_calls_at_once_open_one_base_and_give_equal_answers(served: Served, tmp_path: Path):
    call = ("lookup_knowledge", {"query": "walrus of bay 4", "k": 3, "attempt": 1})
    with child_over_stdio(served.config, "--readonly", cwd=tmp_path) as live:
        results = live.call_at_once([call] * 32)
    answers = [without_timing(result.structured_content) for result in results]
    assert answers[0]["evidence"]
    assert all(answer == answers[0] for answer in answers)
    said = (tmp_path / "stderr.txt").read_text(encoding="utf-8")
    assert said.count("the base was opened") == 1


@pytest.mark.scenario("mcp-server", "A store that another process holds")
def test_a_locked_store_is_a_tool_error_and_the_next_call_tries_again(tmp_path: Path):
    """Milvus Lite lets one process at a time open a store."""
    config = write_config(tmp_path / "lite", store="kb.db")
    with child_over_stdio(config, cwd=tmp_path) as live:
        with rag.open(load_settings(config)) as base:
            base.ingest_text("# Gull\n\nThe gull waits.", name="gull.md")
            error = error_of(live.call("lookup_knowledge", query="gull"))
        assert error["code"] == "store_locked"
        assert error["hint"]
        found = live.call("lookup_knowledge", query="gull")
    assert found.structured_content["evidence"]
