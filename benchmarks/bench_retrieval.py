"""nDCG@10 and recall@100 of the shipped chain over collections in BEIR format.

    python benchmarks/bench_retrieval.py DATASETS/scifact DATASETS/kobest-boolq

Each document becomes a file, the folder is ingested with the default settings, every query goes
through the search service; a document ranks where its first chunk ranks.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import ir_measures
from ir_measures import Recall, nDCG

import rag
from benchmarks.arguments import benchmark_parser
from benchmarks.beir import Collection, load_collection, write_as_files
from benchmarks.result_file import write_result
from rag.settings import load_settings

DEPTH = 200  # chunks asked for, so that at least 100 documents are ranked
MEASURES = (nDCG @ 10, Recall @ 100)


def measure(collection: Collection, modes: list[str], store: str, embedder: str) -> dict[str, Any]:
    """Return figures by mode for one collection."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ids = write_as_files(collection, folder / "files")
        settings = load_settings(
            store={"uri": str(folder / store)}, embedding={"embedder": embedder}
        )
        with rag.open(settings) as base:
            report = base.ingest(folder / "files")
            figures: dict[str, Any] = {
                "documents": len(ids),
                "queries": len(collection.queries),
                "chunks": report.chunks_written,
                "chunks_not_embedded": report.chunks_not_embedded,
                "ingest_s": round(report.duration_ms / 1000, 1),
            }
            for mode in modes:
                figures[mode] = _mode_figures(base, collection, ids, mode)
    return figures


def _mode_figures(
    base: rag.KnowledgeBase, collection: Collection, ids: dict[str, str], mode: str
) -> dict[str, Any]:
    run: dict[str, dict[str, float]] = {}
    statuses: Counter[str] = Counter()
    started = time.perf_counter()
    for query_id, text in collection.queries.items():
        result = base.search(text, mode=mode, k=DEPTH)
        statuses[result.channels["vector"].status if "vector" in result.channels else "off"] += 1
        ranked = dict.fromkeys(ids[hit.doc_path] for hit in result.hits)
        run[query_id] = {doc: 1.0 / rank for rank, doc in enumerate(ranked, start=1)}
    seconds = time.perf_counter() - started
    scores = ir_measures.calc_aggregate(MEASURES, collection.qrels, run)
    return {
        **{str(name): round(value, 4) for name, value in scores.items()},
        "vector_status": dict(statuses),
        "ms_per_query": round(1000 * seconds / len(collection.queries), 1),
    }


def main() -> None:
    parser = benchmark_parser(__doc__, "collections", nargs="+")
    parser.add_argument("--modes", nargs="+", default=["lexical", "hybrid"])
    parser.add_argument("--store", default="kb.db", help="name of the store; kb.db is Milvus Lite")
    parser.add_argument("--embedder", default="minilm")
    arguments = parser.parse_args()
    figures: dict[str, Any] = {"store": arguments.store, "embedder": arguments.embedder}
    for folder in arguments.collections:
        collection = load_collection(folder)
        figures[collection.name] = measure(
            collection, arguments.modes, arguments.store, arguments.embedder
        )
        print(collection.name, figures[collection.name], flush=True)
    print(f"written to {write_result('retrieval', figures)}")


if __name__ == "__main__":
    main()
