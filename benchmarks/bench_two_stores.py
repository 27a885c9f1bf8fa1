"""The local store against Milvus Lite, in one run: hybrid look-ups and ingest.

    python -m benchmarks.bench_two_stores DATASETS [--size 100000] [--scratch DIR]

Both hold the same chunks: the local base of ``bench_local_store`` and a copy of it on Milvus
Lite. Each question goes to both by turns, through the search service with the hashing test
embedder, so that only the engines differ. Then both take in the same fresh documents, in turn.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.arguments import benchmark_parser
from benchmarks.bench_local_store import BATCH_CHUNKS, timed, writes
from benchmarks.resampled_corpus import questions
from benchmarks.result_file import write_result
from rag.assembly import build_store
from rag.indexing.ingest_tally import SilentProgress
from rag.ranking import ReciprocalRankFusion
from rag.retrieval import SearchQuery, VectorSearchService
from rag.settings import Settings, load_settings
from rag.stores.protocol import KnowledgeStore
from rag.stores.store_copy import copy_store
from rag.testing import HashingEmbedder
from rag.text import Analyzer

QUESTIONS = 60
WARM_UP = 5
INGEST_CHUNKS = 5_000
STORE_TIMEOUT_S = 300.0  # the first search of Milvus Lite at this size reads every row


def settings_for(uri: Path) -> Settings:
    """Return settings whose limits suit a large base on Milvus Lite."""
    return load_settings(
        store={"uri": str(uri), "timeout_s": STORE_TIMEOUT_S},
        search={"deadline_s": STORE_TIMEOUT_S},
    )


def open_at(uri: Path, embedder: HashingEmbedder) -> KnowledgeStore:
    """Open the store at a path: a folder, or Milvus Lite for ``….db``."""
    return build_store(
        settings_for(uri), Analyzer(), embedder.identity, ReciprocalRankFusion(), create=True
    )


def look_ups(
    stores: dict[str, KnowledgeStore], embedder: HashingEmbedder, asked: Sequence[str]
) -> dict[str, Any]:
    """Ask every store every question by turns; return medians and their ratio."""
    services = {
        name: VectorSearchService(store, embedder, settings_for(Path("unused")).search)
        for name, store in stores.items()
    }
    times: dict[str, list[float]] = {name: [] for name in stores}
    for turn, question in enumerate([*asked[:WARM_UP], *asked]):
        for name, service in services.items():
            took = timed(lambda: service.search(SearchQuery(text=question)))  # noqa: B023  # called at once
            if turn >= WARM_UP:
                times[name].append(took)
    local, lite = (statistics.median(times[name]) for name in ("local", "milvus_lite"))
    return {
        "local_median_ms": round(local, 1),
        "milvus_lite_median_ms": round(lite, 1),
        "times_faster": round(lite / local, 1),
        "times_faster_wanted": 8,
        "local_median_ms_wanted": 20,
    }


def ingest_rate(uri: Path, datasets: Path, embedder: HashingEmbedder) -> float:
    """Return the chunks a second that an empty store takes in, embedding included."""
    store = open_at(uri, embedder)
    seconds = 0.0
    for batch, embedding_s in writes(datasets, INGEST_CHUNKS, embedder):
        started = time.perf_counter()
        store.write_documents(batch)
        seconds += time.perf_counter() - started + embedding_s
    store.close()
    return INGEST_CHUNKS / seconds


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "rag-bench")
    arguments = parser.parse_args()
    embedder = HashingEmbedder()
    place = arguments.scratch / f"local-{arguments.size}"
    local = open_at(place, embedder)
    if not local.stats().chunks:
        for batch, _ in writes(arguments.datasets, arguments.size, embedder):
            local.write_documents(batch)
        local.build_index()
    lite = open_at(arguments.scratch / f"lite-{arguments.size}.db", embedder)
    copy_store(local, lite, SilentProgress())
    asked = questions(arguments.datasets, QUESTIONS)
    figures: dict[str, Any] = {
        "chunks": local.stats().chunks,
        "chunks_on_milvus_lite": lite.stats().chunks,
        "questions": len(asked),
        "hybrid_look_up": look_ups({"local": local, "milvus_lite": lite}, embedder, asked),
    }
    local.close()
    lite.close()
    with tempfile.TemporaryDirectory() as scratch:
        rates: dict[str, list[float]] = {"local": [], "lite.db": []}
        for turn in range(3):
            for name, found in rates.items():
                found.append(
                    ingest_rate(Path(scratch) / f"{turn}{name}", arguments.datasets, embedder)
                )
    local_rate, lite_rate = map(statistics.median, rates.values())
    figures["ingest"] = {
        "chunks": INGEST_CHUNKS,
        "batch_chunks": BATCH_CHUNKS,
        "local_chunks_per_s": round(local_rate),
        "milvus_lite_chunks_per_s": round(lite_rate),
        "times_faster": round(local_rate / lite_rate, 2),
        "times_faster_wanted": 2,
        "local_chunks_per_s_wanted": 800,
    }
    print(figures)
    print(f"written to {write_result('two-stores', figures)}")


if __name__ == "__main__":
    main()
