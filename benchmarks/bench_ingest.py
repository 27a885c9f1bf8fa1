"""What the chain costs at ingest: ``rag ingest`` against a loop that embeds and inserts.

    python -m benchmarks.bench_ingest DATASETS/scifact --documents 600

The loop is given the finished chunks; the chain finds, reads, chunks, embeds and writes the
files. Both run in turn, several times, each time on an empty store and without vector cache.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import rag
from benchmarks.arguments import benchmark_parser
from benchmarks.bare_milvus import BareMilvus
from benchmarks.bench_lookup import trimmed_corpus
from benchmarks.result_file import write_result
from rag.ingest.index_text import index_text
from rag.settings import load_settings
from rag.text import Analyzer

DOCUMENTS = 600
ROUNDS = 3


def main() -> None:
    parser = benchmark_parser(__doc__, "collection")
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--embedder", default="minilm")
    arguments = parser.parse_args()
    bare_rates: list[float] = []
    chain_rates: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        trimmed_corpus(arguments.collection, folder / "files", arguments.documents)
        for turn in range(ROUNDS):
            settings = load_settings(
                store={"uri": str(folder / f"kb{turn}.db")},
                embedding={"embedder": arguments.embedder, "cache": False},
            )
            with rag.open(settings) as base:
                assert base.parts.embedder is not None
                base.parts.embedder.embed_query("the model is loaded before either is timed")
                started = time.perf_counter()
                report = base.ingest(folder / "files")
                chain_rates.append(report.chunks_written / (time.perf_counter() - started))
                writes = base.parts.store.export([one.doc_id for one in base.documents()])
                chunks = [
                    (c.chunk_id, c.text, index_text(w.document.title, c.heading_path, c.text))
                    for w in writes
                    for c in w.chunks
                ]
                bare = BareMilvus.create(
                    folder / f"bare{turn}.db",
                    embedder=base.parts.embedder,
                    analyzer=Analyzer(settings.text.stemmer),
                )
                started = time.perf_counter()
                bare.insert(chunks)
                bare_rates.append(len(chunks) / (time.perf_counter() - started))
                bare.close()
    figures: dict[str, Any] = {
        "embedder": arguments.embedder,
        "chunks": report.chunks_written,
        "rounds": ROUNDS,
        "bare_chunks_per_s": [round(rate, 1) for rate in bare_rates],
        "ingest_chunks_per_s": [round(rate, 1) for rate in chain_rates],
        "median_share": round(
            statistics.median(c / b for c, b in zip(chain_rates, bare_rates, strict=True)), 3
        ),
        "least_share_allowed": 0.6,
    }
    print(figures)
    print(f"written to {write_result('ingest', figures)}")


if __name__ == "__main__":
    main()
