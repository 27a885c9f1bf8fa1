"""What the chain adds to a look-up: LookupKnowledgeTool against bare pymilvus, in one run.

    python benchmarks/bench_lookup.py DATASETS/scifact

Both answer the same questions over the same 5,000 chunks on Milvus Lite, by turns, so that
whatever else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import rag
from benchmarks.bare_milvus import BareMilvus
from benchmarks.beir import load_collection, write_as_files
from benchmarks.result_file import write_result
from rag.evidence.rate_hits import rate_hits
from rag.ingest.index_text import index_text
from rag.knowledge_base import Parts
from rag.ranking import ReciprocalRankFusion
from rag.retrieval import SearchQuery
from rag.settings import load_settings
from rag.text import Analyzer

CHUNKS = 5_000
QUESTIONS = 100
ROUNDS = 3
HITS = 50  # for the steps after the store


def milliseconds(call: Callable[[], Any]) -> float:
    """Return how long one call takes."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1_000


def trimmed_corpus(source: Path, target: Path) -> None:
    """Write as many documents of a collection as make about 5,000 chunks."""
    collection = load_collection(source)
    write_as_files(collection, target)
    for extra in islice(sorted(target.iterdir()), CHUNKS, None):
        extra.unlink()


def after_store(parts: Parts, settings: rag.Settings, questions: list[str]) -> dict[str, float]:
    """Return the medians of the steps after the store for 50 hits, in milliseconds."""
    tool, times = parts.tool, []
    for question in questions:
        response = parts.service.search(SearchQuery(text=question, k=HITS))
        times.append(milliseconds(lambda r=response: tool.result_of(r)))  # type: ignore[misc]  # mypy: lambda default
    return {"median_ms": round(statistics.median(times), 3), "hits": HITS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("collection", type=Path)
    arguments = parser.parse_args()
    questions = list(load_collection(arguments.collection).queries.values())[:QUESTIONS]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        trimmed_corpus(arguments.collection, folder / "files")
        settings = load_settings(store={"uri": str(folder / "kb.db")})
        with rag.open(settings) as base:
            base.ingest(folder / "files")
            parts = base.parts
            assert parts.embedder is not None
            analyzer = Analyzer(settings.text.stemmer)
            bare = BareMilvus(folder / "bare.db", embedder=parts.embedder, analyzer=analyzer)
            stored = [c for d in base.documents() for c in parts.store.chunks(d.doc_id)]
            bare.insert(
                [(c.chunk_id, c.text, index_text(c.title, c.heading_path, c.text)) for c in stored]
            )
            fusion = ReciprocalRankFusion(k=settings.search.rrf_k, weights=parts.weights)
            depth = settings.search.candidates
            bare_ms: list[float] = []
            chain_ms: list[float] = []
            for question in questions[:5]:  # both engines warm
                bare.lookup(question, candidates=depth, fusion=fusion)
                base.lookup(question)
            for _ in range(ROUNDS):
                for question in questions:
                    bare_ms.append(
                        milliseconds(lambda: bare.lookup(question, candidates=depth, fusion=fusion))  # noqa: B023  # called at once
                    )
                    chain_ms.append(milliseconds(lambda: base.lookup(question)))  # noqa: B023  # called at once
            figures = {
                "chunks": len(stored),
                "questions": len(questions),
                "rounds": ROUNDS,
                "bare_median_ms": round(statistics.median(bare_ms), 2),
                "lookup_median_ms": round(statistics.median(chain_ms), 2),
                "ratio_of_medians": round(
                    statistics.median(chain_ms) / statistics.median(bare_ms), 3
                ),
                "median_of_ratios": round(
                    statistics.median(c / b for c, b in zip(chain_ms, bare_ms, strict=True)), 3
                ),
                "allowed_ratio": 1.25,
                "after_store": after_store(parts, settings, questions),
            }
            bare.close()
    print(figures)
    print(f"written to {write_result('lookup', figures)}")


if __name__ == "__main__":
    main()
