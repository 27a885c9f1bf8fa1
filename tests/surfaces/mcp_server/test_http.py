"""The server on a real socket."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from rag.errors import ConfirmationRequiredError, InvalidArgumentError
from rag.settings import Settings
from rag.surfaces.mcp_server.http import serve_http
from rag.surfaces.mcp_server.server import build_server
from rag.surfaces.shared_base import SharedBase
from tests.surfaces.mcp_server.conftest import Served
from tests.surfaces.mcp_server.serving import (
    LIMIT_S,
    command,
    connected,
    environment,
    error_of,
    write_config,
)
from tests.surfaces.mcp_server.test_stdio import INITIALIZE

SAYS_WHERE = "serving MCP at "


@pytest.fixture(scope="module")
def url(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return where a server over HTTP answers; its end is part of the test."""
    with subprocess.Popen(
        command(served.config, "--http", "--port", "0", "--readonly"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=tmp_path_factory.mktemp("http"),
    ) as process:
        try:
            assert process.stderr is not None
            assert process.stdout is not None
            first = process.stderr.readline()
            assert first.startswith(SAYS_WHERE), first
            yield first.removeprefix(SAYS_WHERE).strip()
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=LIMIT_S)
            assert "Traceback" not in said
        finally:
            process.kill()


@pytest.mark.scenario("mcp-server", "Two sessions over HTTP")
def test_attempts_are_counted_for_each_session_of_its_own(url: str):
    left = []
    for _ in range(2):
        with connected(url, mode="legacy") as live:
            for _ in range(2):
                said = live.call("lookup_knowledge", query="bay 21", k=2).structured_content
                left.append(said["retry"]["attempts_left"])
    assert left == [2, 1, 2, 1]


def test_without_a_session_a_caller_may_name_one(url: str):
    with connected(url) as live:
        plain = live.call("lookup_knowledge", query="bay 22", k=2).structured_content
        left = [
            live.call(
                "lookup_knowledge", query="bay 22", k=2, session_id="chat"
            ).structured_content["retry"]["attempts_left"]
            for _ in range(2)
        ]
    assert plain["retry"]["attempts_left"] is None
    assert left == [2, 1]


@pytest.mark.scenario("mcp-server", "A web page that talks to the server")
@pytest.mark.parametrize(
    ("header", "value", "status"),
    [("Host", "evil.example", 421), ("Origin", "https://evil.example", 403)],
)
def test_a_foreign_host_or_origin_is_refused(url: str, header: str, value: str, status: int):
    frame = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    accept = {"Accept": "application/json, text/event-stream"}
    with httpx2.Client(trust_env=False) as http:
        fine = http.post(url, json=frame, headers=accept)
        refused = http.post(url, json=frame, headers={**accept, header: value})
    assert (fine.status_code, refused.status_code) == (200, status)


@pytest.mark.scenario("mcp-server", "An address that others can reach")
@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::", "example.org"])
def test_an_address_that_others_can_reach_needs_a_yes(host: str):
    with pytest.raises(ConfirmationRequiredError, match="other machines"):
        serve(host=host, port=0)


@pytest.mark.parametrize("port", [-1, 65_536, 99_999])
def test_a_port_that_there_is_not_is_refused(port: int):
    with pytest.raises(InvalidArgumentError, match=r"cannot listen on 127\.0\.0\.1 port"):
        serve(host="127.0.0.1", port=port)


def test_a_port_that_is_taken_is_refused(url: str):
    taken = int(url.rsplit(":", 1)[1].split("/")[0])
    with pytest.raises(InvalidArgumentError, match="in use"):
        serve(host="127.0.0.1", port=taken)


def serve(*, host: str, port: int) -> None:
    """Start a server that must not start."""

    def opened(_create: bool) -> None:
        raise AssertionError("nothing is opened before the first call")

    server = build_server(Settings(), SharedBase(opened))  # type: ignore[arg-type]  # never called
    serve_http(
        server,
        host=host,
        port=port,
        allow_remote=False,
        listening=lambda at: pytest.fail(f"listens at {at}"),
    )


@pytest.mark.scenario("mcp-server", "A base that is not there")
@pytest.mark.parametrize("extra", [(), ("--readonly",)])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_server_over_no_base_says_so_makes_none_and_stops_in_order(
    tmp_path: Path, extra: tuple[str, ...], stop: signal.Signals
):
    config = write_config(tmp_path / "config", store="typo")
    store = tmp_path / "config" / "typo"
    with subprocess.Popen(
        command(config, "--http", "--port", "0", *extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), "RAG_LOGS__LEVEL": "warning"},
        cwd=tmp_path,
    ) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline().startswith(f"there is no base at {store}")
            url = process.stderr.readline().removeprefix(SAYS_WHERE).strip()
            with connected(url) as live:
                error = error_of(live.call("lookup_knowledge", query="bay 21"))
            assert error["code"] == "store_not_initialised"
            assert not store.exists()
            process.send_signal(stop)
            out, said = process.communicate(timeout=LIMIT_S)
            assert (process.returncode, out, said) == (0, "", "stopped\n")
        finally:
            process.kill()
