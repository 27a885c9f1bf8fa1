"""Serves one client over the process's standard streams."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from io import TextIOWrapper
from types import FrameType
from typing import Any, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from rag.surfaces.shared_base import SharedBase

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
SIGNALLED = 128  # the shell's convention: plus the signal's number


def serve_stdio(server: Server[dict[str, Any]], shared: SharedBase) -> None:
    """Serve until the client closes standard input, or a signal ends the process.

    Standard output carries frames only: whatever else is written to it goes to standard error.
    """

    def leave(number: int, _frame: FrameType | None) -> None:
        shared.close()
        sys.stderr.flush()
        os._exit(SIGNALLED + number)  # a thread waits for standard input, and nothing wakes it

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)

    async def serve() -> None:
        lines = cast("anyio.AsyncFile[str]", _readable_lines())  # all that is asked of it
        async with stdio_server(stdin=lines) as (read_stream, write_stream):
            await server.run(read_stream, write_stream, server.create_initialization_options())

    anyio.run(serve)


async def _readable_lines() -> AsyncIterator[str]:
    stdin = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    async for line in anyio.wrap_file(stdin):
        yield readable(line)


def readable(line: str) -> str:
    """Return a frame with half characters replaced.

    JavaScript cuts an emoji in half and sends the half as an escape. The protocol's library
    cannot read that, and a request that cannot be read is never answered.
    """
    if not _ESCAPED_SURROGATE.search(line):
        return line
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError):
        return line
    text = json.dumps(frame, ensure_ascii=False)
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text) + "\n"
