"""What the protocol adds to a look-up: MCP over a child's standard streams against the call itself.

    python benchmarks/bench_mcp.py

Every result carries the time that its look-up took inside the server; what is left of the round
trip is the protocol: the client's library, two pipes, the server's library, a thread, and the
result as text and object. A bare client, which only writes and reads lines, shows how much of
that is the client's own.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters

import rag
from benchmarks.arguments import benchmark_parser
from benchmarks.result_file import write_result
from rag.samples import handbook_path
from rag.settings import load_settings

ALLOWED_MS = 10.0
ROUNDS = 20
QUESTIONS = (
    "How long are backups kept?",
    "How do I rotate the signing keys?",
    "What does ERR_QUOTA_4012 mean?",
    "Who is paged at night?",
    "How many days of holiday are there?",
    "What is encrypted with the data key?",
)
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def server_command(store: Path, embedder: str) -> list[str]:
    """Return the command that serves the base; attempts are not the subject here."""
    options = ["--store", str(store), "--embedder", embedder, "--readonly"]
    return [sys.executable, "-m", "rag", "mcp", *options]


async def with_the_library(command: list[str]) -> tuple[float, list[float], list[float]]:
    """Return the time to the first answer, and per call the look-up's and the rest, in ms."""
    inside: list[float] = []
    beyond: list[float] = []
    started = time.perf_counter()
    parameters = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(parameters) as client:
        await client.list_tools()
        handshake = (time.perf_counter() - started) * 1_000
        for round_number in range(ROUNDS + 1):
            for question in QUESTIONS:
                began = time.perf_counter()
                result = await client.call_tool("lookup_knowledge", {"query": question})
                whole = (time.perf_counter() - began) * 1_000
                if round_number:  # the first round opens the base and warms everything
                    took = result.structured_content["took_ms"]
                    inside.append(took)
                    beyond.append(whole - took)
    return handshake, inside, beyond


def with_bare_lines(command: list[str]) -> tuple[list[float], int]:
    """Return per call what it took beyond the look-up, in ms, and the bytes of a response."""
    beyond: list[float] = []
    sizes: list[int] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        number = 0

        def request(method: str, params: dict[str, Any]) -> tuple[float, bytes]:
            nonlocal number
            number += 1
            frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            began = time.perf_counter()
            process.stdin.write(json.dumps(frame).encode() + b"\n")  # type: ignore[union-attr]  # checked above
            process.stdin.flush()  # type: ignore[union-attr]  # likewise
            line = process.stdout.readline()  # type: ignore[union-attr]  # likewise
            return (time.perf_counter() - began) * 1_000, line

        request("initialize", INITIALIZE)
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        for round_number in range(ROUNDS + 1):
            for question in QUESTIONS:
                asked = {"name": "lookup_knowledge", "arguments": {"query": question}}
                whole, line = request("tools/call", asked)
                if round_number:
                    took = json.loads(line)["result"]["structuredContent"]["took_ms"]
                    beyond.append(whole - took)
                    sizes.append(len(line))
        process.stdin.close()
    return beyond, round(statistics.median(sizes))


def summary(times: list[float]) -> dict[str, float]:
    """Return median and 95th percentile, in milliseconds."""
    return {
        "median_ms": round(statistics.median(times), 2),
        "p95_ms": round(statistics.quantiles(times, n=20)[-1], 2),
    }


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--embedder", default="minilm")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "kb"
        settings = load_settings(
            store={"uri": str(store)}, embedding={"embedder": arguments.embedder}
        )
        with rag.open(settings) as base:
            base.ingest(handbook_path())
        command = server_command(store, arguments.embedder)
        handshake, inside, beyond = asyncio.run(with_the_library(command))
        bare, size = with_bare_lines(command)
    figures = {
        "questions": len(QUESTIONS),
        "rounds": ROUNDS,
        "embedder": arguments.embedder,
        "start_to_tools_listed_ms": round(handshake),
        "look_up_inside": summary(inside),
        "beyond_it": summary(beyond),
        "beyond_it_for_a_bare_client": summary(bare),
        "allowed_ms": ALLOWED_MS,
        "response_bytes": size,
    }
    print(figures)
    print(f"written to {write_result('mcp', figures)}")


if __name__ == "__main__":
    main()
