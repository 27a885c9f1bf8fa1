"""rag serve under load: 16 clients over loopback, against look-ups in a loop in one process.

    python benchmarks/bench_serve.py DATASETS [--size 20000] [--embedder hashing] [--uri FOLDER]

The base is made of real sentences, see ``resampled_corpus``; any store can hold it. It is asked

- in a loop in one process: what a look-up costs without a service;
- by one client: what the service adds;
- by 16 clients that each ask again at once: the most that the service gives. Then 16 look-ups
  are always under way, so by Little's law the mean time is 16 over the rate, whatever the
  service does: it says how the service shares out what it has, not how long a look-up takes;
- by 16 clients whose requests come at even intervals, together at 0.6 of the loop's rate: how
  long agents wait while the service does as much as it has to;
- 10,000 times for its memory.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.arguments import benchmark_parser
from benchmarks.http_load import LoadResult, look_up_requests, run_clients
from benchmarks.resampled_corpus import documents, questions
from benchmarks.result_file import write_result
from rag.assembly import open_base
from rag.base.knowledge_base import KnowledgeBase
from rag.ingest.index_text import index_text
from rag.settings import Settings, load_settings
from rag.stores.records import DocumentWrite

CLIENTS = 16
QUESTIONS = 500
WARM_UP = 200  # look-ups before anything is timed
SINGLE = 400  # look-ups of the single client
MEMORY_LOOK_UPS = 10_000
BATCH_DOCUMENTS = 50
NEEDED_SHARE = 0.6  # of the loop's rate
MOST_SLOWDOWN = 5.0  # p95 under load over the single client's median
MOST_GROWTH = 0.05


def fill(base: KnowledgeBase, datasets: Path, size: int) -> None:
    """Write a base of ``size`` chunks."""
    embedder = base.parts.embedder
    made = documents(datasets, size)
    while batch := list(islice(made, BATCH_DOCUMENTS)):
        texts = [index_text(d.title, c.heading_path, c.text) for d, chunks in batch for c in chunks]
        rows = iter(embedder.embed_documents(texts)) if embedder is not None else None
        base.parts.store.write_documents(
            [
                DocumentWrite(
                    document=document,
                    chunks=chunks,
                    vectors={c.chunk_id: next(rows) for c in chunks} if rows is not None else {},
                )
                for document, chunks in batch
            ]
        )


def in_a_loop(settings: Settings, asked: Sequence[str], seconds: float) -> dict[str, float]:
    """Return rate and median of look-ups one after the other, without a service."""
    with open_base(settings, create=False) as base:
        tool = base.parts.tool
        for question in asked[:WARM_UP]:
            tool.lookup(question)
        times: list[float] = []
        started = time.perf_counter()
        while (begun := time.perf_counter()) < started + seconds:
            tool.lookup(asked[len(times) % len(asked)])
            times.append((time.perf_counter() - begun) * 1_000)
        took = time.perf_counter() - started
    return {
        "per_second": round(len(times) / took, 1),
        "median_ms": round(statistics.median(times), 2),
    }


@contextmanager
def served(uri: str, embedder: str) -> Iterator[tuple[str, int]]:
    """Run ``rag serve`` in a process of its own; yield its address and process id."""
    command = [sys.executable, "-m", "rag", "serve", "--port", "0", "--readonly"]
    process = subprocess.Popen(
        [*command, "--store", uri, "--embedder", embedder], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://[^/]+", line)
        assert found, line + process.stderr.read()
        yield found.group(), process.pid
    finally:
        process.terminate()
        process.wait(60)


def resident_kb(pid: int) -> int:
    """Return how much memory a process holds, in kB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0])


def memory(address: str, pid: int, requests: Sequence[bytes]) -> dict[str, float]:
    """Return how memory grows over 10,000 look-ups by 16 clients, after a warm-up."""
    run_clients(address, requests, clients=CLIENTS, count=MEMORY_LOOK_UPS // 5)
    before = resident_kb(pid)
    result = run_clients(address, requests, clients=CLIENTS, count=MEMORY_LOOK_UPS)
    after = resident_kb(pid)
    return {
        "look_ups": len(result.times_ms),
        "errors": len(result.errors),
        "before_mb": round(before / 1_000, 1),
        "after_mb": round(after / 1_000, 1),
        "growth": round(after / before - 1, 4),
    }


def measure(
    settings: Settings, asked: Sequence[str], seconds: float, embedder: str
) -> dict[str, Any]:
    """Return all figures."""
    figures: dict[str, Any] = {"loop": in_a_loop(settings, asked, seconds)}
    print("loop", figures["loop"])
    with served(settings.store.uri, embedder) as (address, pid):
        requests = look_up_requests(address, asked)

        def load(name: str, **options: Any) -> LoadResult:
            result = run_clients(address, requests, **options)
            figures[name] = result.figures()
            print(name, figures[name], *set(result.errors))
            return result

        run_clients(address, requests, clients=CLIENTS, count=WARM_UP)
        load("single_client", clients=1, count=SINGLE)
        load("saturated", clients=CLIENTS, seconds=seconds)
        rate = NEEDED_SHARE * figures["loop"]["per_second"]
        load("paced", clients=CLIENTS, seconds=seconds, per_second=rate)
        figures["memory"] = memory(address, pid, requests)
        print("memory", figures["memory"])
    return figures


def judged(figures: dict[str, Any]) -> dict[str, dict[str, float | bool]]:
    """Return each bound with what was measured, and whether it held."""
    single = figures["single_client"]["median_ms"]
    runs = (figures["saturated"], figures["paced"], figures["memory"])
    share = figures["saturated"]["per_second"] / figures["loop"]["per_second"]
    slowdown = figures["paced"]["p95_ms"] / single
    growth = figures["memory"]["growth"]
    errors = sum(run["errors"] for run in runs)
    return {
        "errors": {"measured": errors, "allowed": 0, "held": errors == 0},
        "throughput_over_loop": {
            "measured": round(share, 3),
            "needed": NEEDED_SHARE,
            "held": share >= NEEDED_SHARE,
        },
        "p95_over_single_median": {
            "measured": round(slowdown, 2),
            "allowed": MOST_SLOWDOWN,
            "held": slowdown <= MOST_SLOWDOWN,
            "measured_saturated": round(figures["saturated"]["p95_ms"] / single, 2),
        },
        "memory_growth": {
            "measured": growth,
            "allowed": MOST_GROWTH,
            "held": growth < MOST_GROWTH,
        },
    }


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--size", type=int, default=20_000, help="chunks in the base")
    parser.add_argument("--embedder", default="hashing")
    parser.add_argument("--uri", help="where the base is, or is made; default: a new folder")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each run")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        uri = arguments.uri or str(Path(scratch) / "kb")
        settings = load_settings(
            store={"uri": uri}, embedding={"embedder": arguments.embedder, "cache": False}
        )
        with open_base(settings) as base:
            if base.parts.store.stats().chunks == 0:
                print(f"making a base of {arguments.size} chunks at {uri}")
                fill(base, arguments.datasets, arguments.size)
            stats = base.parts.store.stats()
        asked = questions(arguments.datasets, QUESTIONS)
        figures: dict[str, Any] = {
            "backend": stats.backend,
            "chunks": stats.chunks,
            "embedder": arguments.embedder,
            "clients": CLIENTS,
            "load_average_at_start": round(os.getloadavg()[0], 1),  # above 0.5 distorts times
        }
        figures |= measure(settings, asked, arguments.seconds, arguments.embedder)
    figures["bounds"] = judged(figures)
    print(figures["bounds"])
    print(write_result(f"serve-{arguments.embedder}", figures))


if __name__ == "__main__":
    main()
