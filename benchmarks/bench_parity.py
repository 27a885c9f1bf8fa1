"""How far the local store and Milvus Lite agree on collections in BEIR format.

    python benchmarks/bench_parity.py DATASETS/scifact DATASETS/tidb-faq-zh-a

Each collection is laid out as files and ingested into both stores with the default embedder, by
way of the vector cache, so that its texts are embedded once. The first 200 of its queries are
then asked in every mode. Agreement is of the ten best: equal lists, and the share of one list
that the other has; both stores' nDCG@10 stands beside it, since where lists differ the question
is which is better.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

import ir_measures
from ir_measures import nDCG

import rag
from benchmarks.arguments import benchmark_parser
from benchmarks.beir import Collection, load_collection, write_as_files
from benchmarks.result_file import write_result
from rag.ranking.records import SearchMode
from rag.settings import load_settings
from rag.wire.search_response import ResultHit

STORES = ("local", "lite.db")
QUERIES = 200
TOP = 10

Answers = dict[str, tuple[ResultHit, ...]]  # by query id


def measure(collection: Collection, embedder: str) -> dict[str, Any]:
    """Return figures by mode for one collection."""
    queries = dict(islice(collection.queries.items(), QUERIES))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ids = write_as_files(collection, folder / "files")
        figures: dict[str, Any] = {"documents": len(ids), "queries": len(queries)}
        answers: dict[str, dict[SearchMode, Answers]] = {}
        for store in STORES:
            settings = load_settings(
                store={"uri": str(folder / store)}, embedding={"embedder": embedder}
            )
            with rag.open(settings) as base:
                figures["chunks"] = base.ingest(folder / "files").chunks_written
                answers[store] = {mode: ask(base, queries, mode) for mode in SearchMode}
            print(f"  {store} answered", flush=True)
    for mode in SearchMode:
        ours, theirs = (answers[store][mode] for store in STORES)
        figures[str(mode)] = {
            **agreement(list(ours.values()), list(theirs.values())),
            "ndcg_at_10": {store: ndcg(answers[store][mode], collection, ids) for store in STORES},
        }
    return figures


def ask(base: rag.KnowledgeBase, queries: dict[str, str], mode: SearchMode) -> Answers:
    """Return the ten best for each query."""
    return {
        query_id: base.search(text, mode=str(mode), k=TOP).hits
        for query_id, text in queries.items()
    }


def agreement(
    ours: Sequence[tuple[ResultHit, ...]], theirs: Sequence[tuple[ResultHit, ...]]
) -> dict[str, float]:
    """Return how many lists are equal, the mean and least overlap, and how far scores differ.

    Scores of the same chunk are compared, relatively to the local store's.
    """
    equal, overlaps, apart = 0, [], 0.0
    for one, other in zip(ours, theirs, strict=True):
        ids, other_ids = ([hit.chunk_id for hit in hits] for hits in (one, other))
        equal += ids == other_ids
        longer = max(len(ids), len(other_ids))
        overlaps.append(len(set(ids) & set(other_ids)) / longer if longer else 1.0)
        scores = {hit.chunk_id: hit.score or 0.0 for hit in other}
        for hit in one:
            if hit.chunk_id in scores and hit.score:
                apart = max(apart, abs(scores[hit.chunk_id] - hit.score) / abs(hit.score))
    return {
        "equal_lists": round(equal / len(overlaps), 4),
        "overlap_at_10": round(mean(overlaps), 4),
        "least_overlap_at_10": round(min(overlaps), 4),
        "greatest_relative_score_difference": round(apart, 7),
    }


def ndcg(answers: Answers, collection: Collection, ids: dict[str, str]) -> float:
    """Return nDCG@10; a document ranks where its first chunk does."""
    run = {
        query_id: {
            doc: 1.0 / rank
            for rank, doc in enumerate(dict.fromkeys(ids[hit.doc_path] for hit in hits), start=1)
        }
        for query_id, hits in answers.items()
    }
    judged = {query_id: collection.qrels[query_id] for query_id in answers}
    return round(ir_measures.calc_aggregate([nDCG @ 10], judged, run)[nDCG @ 10], 4)


def main() -> None:
    parser = benchmark_parser(__doc__, "collections", nargs="+")
    parser.add_argument("--embedder", default="minilm")
    arguments = parser.parse_args()
    figures: dict[str, Any] = {
        "stores": list(STORES),
        "embedder": arguments.embedder,
        "load_average_at_start": round(os.getloadavg()[0], 1),
    }
    for folder in arguments.collections:
        collection = load_collection(folder)
        figures[collection.name] = measure(collection, arguments.embedder)
        print(collection.name, figures[collection.name], flush=True)
    print(f"written to {write_result('parity', figures)}")


if __name__ == "__main__":
    main()
