"""Serves one client over the process's standard streams."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from rag.surfaces.shared_base import SharedBase

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
        async with stdio_server() as (read_stream, write_stream):
            await server.run(read_stream, write_stream, server.create_initialization_options())

    anyio.run(serve)
