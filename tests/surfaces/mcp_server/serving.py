"""A base for a server to serve, the server as a child process, and a client that talks to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent, Tool

ROOT = Path(__file__).resolve().parents[3]
LIMIT_S = 120  # for one call; only a server that hangs needs it
CONFIG = """\
[store]
uri = "{store}"
[embedding]
embedder = "hashing"
cache = false
[chunking]
target_tokens = 700
max_tokens = 1000
[logs]
level = "debug"
"""


def write_config(folder: Path, *, store: str = "kb") -> Path:
    """Write a settings file into a new folder; debug logging, no model, chunks of 2 kB."""
    folder.mkdir(exist_ok=True)
    config = folder / "settings.toml"
    config.write_text(CONFIG.format(store=(folder / store).as_posix()), encoding="utf-8")
    return config


def command(config: Path, *arguments: str) -> list[str]:
    """Return the command line that serves the base of a settings file."""
    return [sys.executable, "-m", "rag", "mcp", "--config", str(config), *arguments]


def environment() -> dict[str, str]:
    """Return this process's environment without settings of ours, and with this package."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("RAG_")}
    return {**clean, "PYTHONPATH": str(ROOT)}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveClient:
    """A connected client, called from a test as if it were no coroutine."""

    portal: BlockingPortal
    client: Client

    def tools(self) -> dict[str, Tool]:
        """Return the listed tools by name."""
        return {tool.name: tool for tool in self.portal.call(self.client.list_tools).tools}

    def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """Call a tool; the client holds its result against the listed schema."""
        return self.portal.call(partial(self.client.call_tool, tool, arguments))

    def call_at_once(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[CallToolResult]:
        """Start all calls before waiting for any; return their results in order."""

        async def all_of_them() -> list[CallToolResult]:
            results: list[CallToolResult] = [CallToolResult(content=[])] * len(calls)

            async def one(place: int, name: str, arguments: Mapping[str, Any]) -> None:
                results[place] = await self.client.call_tool(name, dict(arguments))

            async with anyio.create_task_group() as group:
                for place, (name, arguments) in enumerate(calls):
                    group.start_soon(one, place, name, arguments)
            return results

        return self.portal.call(all_of_them)


@contextmanager
def connected(where: Any, **options: Any) -> Iterator[LiveClient]:
    """Connect to a server object, a transport or a URL."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(
            Client(where, read_timeout_seconds=LIMIT_S, **options)
        ) as client,
    ):
        yield LiveClient(portal=portal, client=client)


@contextmanager
def child_over_stdio(config: Path, *arguments: str, cwd: Path) -> Iterator[LiveClient]:
    """Start the server as a child process; what it says on standard error is kept in a file."""
    program, *rest = command(config, *arguments)
    parameters = StdioServerParameters(command=program, args=rest, env=environment(), cwd=str(cwd))
    with (
        (cwd / "stderr.txt").open("w", encoding="utf-8") as log,
        connected(stdio_client(parameters, errlog=log)) as live,
    ):
        yield live


def text_of(result: CallToolResult) -> str:
    """Return the one text block of a result."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def error_of(result: CallToolResult) -> dict[str, Any]:
    """Return the ``error.v1`` object of a failed call."""
    assert result.is_error
    assert result.structured_content is None
    assert result.meta is not None
    error: dict[str, Any] = result.meta["rag-evidence/error"]
    return error


def without_timing(value: Any) -> Any:
    """Return a wire object without what differs between two equal calls in two processes.

    A sum of products may differ in its last bits with where its vectors lie in memory.
    """
    if isinstance(value, dict):
        return {k: without_timing(v) for k, v in value.items() if k not in {"took_ms", "context"}}
    if isinstance(value, list):
        return [without_timing(one) for one in value]
    return round(value, 5) if isinstance(value, float) else value
