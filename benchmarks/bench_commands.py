"""What a person waits for at the prompt: whole processes of ``rag``, on the local store.

    python -m benchmarks.bench_commands DATASETS/docs-fastapi

- ``rag lookup`` against a base of the collection, by the default model; its files are in the
  page cache. Beside it a Python that does nothing, and one that only imports numpy.
- ``rag ingest`` of 10,000 small files, and again when none has changed, with the hashing test
  embedder, since only the walk and the store count here.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.arguments import benchmark_parser
from benchmarks.result_file import write_result

FILES = 10_000
FILES_PER_FOLDER = 100
ROUNDS = 11
QUESTION = "how do I declare a path parameter with a type?"
MOST_LOOKUP_S = 0.9
MOST_UNCHANGED_S = 3.0


def seconds(*command: str, folder: Path) -> float:
    """Run a command to its end; return how long it took. Raises where it failed."""
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, capture_output=True, check=True, env=dict(os.environ))
    return time.perf_counter() - started


def medians(commands: dict[str, tuple[str, ...]], folder: Path) -> dict[str, float]:
    """Run the commands in turn, after one round that warms the page cache; return the medians."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(ROUNDS + 1):
        for name, command in commands.items():
            took = seconds(*command, folder=folder)
            if turn:
                times[name].append(took)
    return {name: round(statistics.median(values), 3) for name, values in times.items()}


def small_files(folder: Path) -> None:
    """Write files of one short section each."""
    for number in range(FILES):
        place = folder / f"part{number // FILES_PER_FOLDER:03}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.md").write_text(
            f"# Part {number}\n\nPart {number} fits frame {number * 7 % 991}.\n", encoding="utf-8"
        )


def main() -> None:
    parser = benchmark_parser(__doc__, "collection")
    arguments = parser.parse_args()
    rag = (sys.executable, "-m", "rag")
    figures: dict[str, Any] = {"load_average_at_start": round(os.getloadavg()[0], 1)}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        seconds(*rag, "ingest", str(arguments.collection.resolve()), folder=folder)
        figures["processes_s"] = medians(
            {
                "rag lookup": (*rag, "lookup", QUESTION),
                "python": (sys.executable, "-c", "pass"),
                "python with numpy": (sys.executable, "-c", "import numpy"),
            },
            folder,
        )
        small_files(folder / "many")
        ingest = (*rag, "ingest", "many", "--store", "many.rag", "--embedder", "hashing")
        figures["files"] = FILES
        figures["first_ingest_s"] = round(seconds(*ingest, folder=folder), 2)
        figures["unchanged_ingest_s"] = round(
            statistics.median(seconds(*ingest, folder=folder) for _ in range(5)), 2
        )
    figures["allowed"] = {"rag lookup": MOST_LOOKUP_S, "unchanged_ingest_s": MOST_UNCHANGED_S}
    print(figures)
    print(write_result("commands", figures))


if __name__ == "__main__":
    main()
