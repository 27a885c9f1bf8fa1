"""The engine of the local store at size: look-ups, ingest, opening, memory, and what is lost.

    python benchmarks/bench_local_store.py DATASETS [--size 100000] [--scratch DIR]

The base is made of real sentences, see ``resampled_corpus``, with the hashing test embedder, so
that only the engine is measured. It is kept in the scratch folder and made anew only where it is
missing. Everything but the ingest is measured warm, except the first query of a fresh process.
"""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.arguments import benchmark_parser
from benchmarks.resampled_corpus import documents, questions
from benchmarks.result_file import write_result
from rag.embedding import EmbedderIdentity
from rag.ingest.index_text import index_text
from rag.ranking import ReciprocalRankFusion
from rag.ranking.records import SearchMode
from rag.stores.filters import SearchFilter
from rag.stores.local import LocalKnowledgeStore
from rag.stores.local.bm25 import HEADING_WEIGHT
from rag.stores.local.database import DATABASE_FILE
from rag.stores.local.vector_index import EXACT_LIMIT, INDEX_FOLDER
from rag.stores.records import DocumentWrite, StoreQuery
from rag.testing import HashingEmbedder
from rag.text import Analyzer, encode_term

QUESTIONS = 300
RECALL_QUESTIONS = 100
BATCH_CHUNKS = 512  # as the writer's default
INGEST_CHUNKS = 10_000  # of the ingest that is timed, on a base of its own
FILTERS = {
    "one tenant of 100": SearchFilter(tenant="tenant-3"),
    "half by tag": SearchFilter(tags=("even",)),
    "a tenth by glob": SearchFilter(path_glob="**/*7.md"),
}
Vectors = np.ndarray[Any, np.dtype[np.float32]]


def open_store(folder: Path, identity: EmbedderIdentity, **options: Any) -> LocalKnowledgeStore:
    """Open the store as an application does."""
    return LocalKnowledgeStore(
        folder,
        analyzer=Analyzer(),
        embedder=identity,
        fusion=ReciprocalRankFusion(),
        **options,
    )


def writes(
    datasets: Path, count: int, embedder: HashingEmbedder
) -> Iterator[tuple[list[DocumentWrite], float]]:
    """Yield batches of embedded documents, and how long embedding them took."""
    made = documents(datasets, count)
    while batch := list(islice(made, BATCH_CHUNKS // 10)):
        started = time.perf_counter()
        texts = [index_text(d.title, c.heading_path, c.text) for d, chunks in batch for c in chunks]
        rows = iter(embedder.embed_documents(texts))
        yield (
            [
                DocumentWrite(
                    document=document,
                    chunks=chunks,
                    vectors={chunk.chunk_id: next(rows) for chunk in chunks},
                )
                for document, chunks in batch
            ],
            time.perf_counter() - started,
        )


def ingest(folder: Path, datasets: Path, count: int, embedder: HashingEmbedder) -> dict[str, float]:
    """Fill a store; return the rates. Making the sentences up is not counted."""
    embedding = writing = 0.0
    with_store = open_store(folder, embedder.identity)
    for batch, embed_s in writes(datasets, count, embedder):
        started = time.perf_counter()
        with_store.write_documents(batch)
        writing += time.perf_counter() - started
        embedding += embed_s
    with_store.close()
    return {
        "chunks": count,
        "chunks_per_second": round(count / (embedding + writing)),
        "chunks_per_second_writing_alone": round(count / writing),
    }


def build_index(folder: Path, identity: EmbedderIdentity) -> float:
    """Build the vector index where it is due; return the seconds it took."""
    store = open_store(folder, identity)
    started = time.perf_counter()
    store.build_index(lambda step, done, total: print(f"  {step} {done}/{total}", end="\r"))
    store.close()
    return round(time.perf_counter() - started, 1)


def timed(call: Callable[[], object]) -> float:
    """Return how long a call takes, in milliseconds."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1_000


def look_ups(
    store: LocalKnowledgeStore,
    asked: Sequence[str],
    vectors: Vectors,
    mode: SearchMode,
    filters: SearchFilter | None = None,
) -> dict[str, float]:
    """Return the median and the 95th percentile over all questions, after a first round."""
    queries = [
        StoreQuery(text=text, mode=mode, vector=vector, filters=filters or SearchFilter())
        for text, vector in zip(asked, vectors, strict=True)
    ]
    for query in queries:
        store.search(query)
    times = sorted(timed(lambda q=query: store.search(q)) for query in queries)  # type: ignore[misc]  # mypy: lambda default
    return {
        "median_ms": round(statistics.median(times), 2),
        "p95_ms": round(times[int(0.95 * len(times))], 2),
    }


def fts5_alone(folder: Path, store: LocalKnowledgeStore, asked: Sequence[str]) -> dict[str, float]:
    """Ask FTS5 itself for its ten best by ``bm25()`` over the ORed words, in the same run.

    ``overlap`` is the share of its ten that the store's ten have; the formulas differ in the
    idf, which FTS5 lets go negative and cuts off, and in how headings are weighed.
    """
    analyzer = Analyzer()
    connection = sqlite3.connect(folder / DATABASE_FILE)
    times, shares = [], []
    for text in asked:
        words = " OR ".join(f'"{encode_term(term)}"' for term in analyzer.query_terms(text))
        started = time.perf_counter()
        found = connection.execute(
            "SELECT chunk_id FROM (SELECT rowid FROM words WHERE words MATCH ?"
            " ORDER BY bm25(words, ?, 1.0) LIMIT 10) AS best JOIN chunks ON row = best.rowid",
            (words, HEADING_WEIGHT),
        ).fetchall()
        times.append((time.perf_counter() - started) * 1_000)
        query = StoreQuery(text=text, mode=SearchMode.LEXICAL)
        ours = {hit.chunk.chunk_id for hit in store.search(query).hits}
        shares.append(len(ours & {row[0] for row in found}) / max(1, len(found)))
    connection.close()
    times.sort()
    return {
        "median_ms": round(statistics.median(times), 2),
        "p95_ms": round(times[int(0.95 * len(times))], 2),
        "overlap_at_10": round(sum(shares) / len(shares), 4),
    }


def recall(folder: Path, identity: EmbedderIdentity, vectors: Vectors) -> float:
    """Return the share of the exact top 10 that the store's own top 10 has."""
    store = open_store(folder, identity)
    exact = open_store(folder, identity, exact_limit=10**9)
    shares = []
    for vector in vectors:
        query = StoreQuery(text="x", mode=SearchMode.VECTOR, vector=vector)
        wanted = {hit.chunk.chunk_id for hit in exact.search(query).hits}
        found = {hit.chunk.chunk_id for hit in store.search(query).hits}
        shares.append(len(wanted & found) / len(wanted))
    store.close()
    exact.close()
    return round(sum(shares) / len(shares), 4)


def first_query(folder: Path) -> dict[str, float]:
    """Run ``--first`` in fresh processes; return the medians."""
    runs = []
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.bench_local_store", "--first", str(folder)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
        )
        runs.append([float(figure) for figure in done.stdout.split()])
    opening, lexical, hybrid = (statistics.median(column) for column in zip(*runs, strict=True))
    return {
        "open_s": round(opening, 3),
        "open_and_first_lexical_s": round(opening + lexical, 3),
        "open_and_first_hybrid_s": round(opening + hybrid, 3),
    }


def print_first(folder: Path) -> None:
    """Print how long opening, a first lexical and a first hybrid query take here, in seconds.

    Imports are not counted, so what a query would import is imported before.
    """
    if (folder / INDEX_FOLDER).exists():
        importlib.import_module("rag.stores.local.lance_table")
    embedder = HashingEmbedder()
    text = "how does memory consolidation depend on sleep?"
    vector = embedder.embed_query(text)
    started = time.perf_counter()
    store = open_store(folder, embedder.identity)
    opened = time.perf_counter()
    store.search(StoreQuery(text=text, mode=SearchMode.LEXICAL))
    lexical = time.perf_counter()
    other = open_store(folder, embedder.identity)
    again = time.perf_counter()
    other.search(StoreQuery(text=text, vector=vector))
    done = time.perf_counter()
    print(opened - started, lexical - opened, done - again)


def main() -> None:
    parser = benchmark_parser(__doc__, nargs="?")
    parser.add_argument("--size", type=int, default=100_000, help="chunks in the base")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "rag-bench")
    parser.add_argument("--first", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.first:
        print_first(arguments.first)
        return
    if arguments.datasets is None:
        parser.error("the folder with the collections is needed")
    embedder = HashingEmbedder()
    folder = arguments.scratch / f"local-{arguments.size}"
    figures: dict[str, Any] = {"chunks": arguments.size, "exact_limit": EXACT_LIMIT}
    figures["load_average_at_start"] = round(os.getloadavg()[0], 1)  # above 0.5 distorts times
    if not folder.exists():
        print(f"making a base of {arguments.size} chunks in {folder}")
        figures["ingest_of_the_base"] = ingest(folder, arguments.datasets, arguments.size, embedder)
    figures["index_build_s"] = build_index(folder, embedder.identity)
    figures["bytes_on_disk"] = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
    asked = questions(arguments.datasets, QUESTIONS)
    vectors = embedder.embed_documents(asked)
    store = open_store(folder, embedder.identity)
    for mode in SearchMode:
        figures[str(mode)] = look_ups(store, asked, vectors, mode)
        print(mode, figures[str(mode)])
    for name, filters in FILTERS.items():
        figures[f"hybrid, {name}"] = look_ups(store, asked, vectors, SearchMode.HYBRID, filters)
        print(name, figures[f"hybrid, {name}"])
    # before anything else loads the whole matrix: what a serving process holds
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures["peak_memory_mb"] = round(peak_kib * 1_024 / 1e6)
    figures["fts5_alone"] = fts5_alone(folder, store, asked)
    print("FTS5 alone", figures["fts5_alone"])
    store.close()
    figures["first_query"] = first_query(folder)
    print(figures["first_query"], figures["peak_memory_mb"], "MB")
    figures["vector_recall_at_10"] = recall(folder, embedder.identity, vectors[:RECALL_QUESTIONS])
    with tempfile.TemporaryDirectory() as scratch:
        figures["ingest"] = ingest(
            Path(scratch) / "base", arguments.datasets, INGEST_CHUNKS, embedder
        )
    print(figures["vector_recall_at_10"], figures["ingest"])
    print(write_result(f"local-store-{arguments.size}", figures))


if __name__ == "__main__":
    main()
