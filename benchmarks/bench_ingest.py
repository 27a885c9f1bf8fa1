"""What the chain costs at ingest: ``rag ingest`` against loops that do the engine's work alone.

    python -m benchmarks.bench_ingest DATASETS/scifact --documents 600

On Milvus Lite, against a loop that embeds and inserts; on the local store, against the embedder
alone. The loops are given the finished chunks; the chain finds, reads, chunks, embeds and writes
the files. All run in turn, several times, each time on an empty store and without vector cache.
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


def opened(uri: Path, embedder: str) -> rag.KnowledgeBase:
    """Return a new base whose model is loaded, so that neither side is charged for that."""
    base = rag.open(
        load_settings(store={"uri": str(uri)}, embedding={"embedder": embedder, "cache": False})
    )
    assert base.parts.embedder is not None
    base.parts.embedder.embed_query("the model is loaded before anything is timed")
    return base


def ingest_rate(base: rag.KnowledgeBase, files: Path) -> float:
    """Ingest a folder; return the chunks written a second."""
    started = time.perf_counter()
    report = base.ingest(files)
    return report.chunks_written / (time.perf_counter() - started)


def main() -> None:
    parser = benchmark_parser(__doc__, "collection")
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--embedder", default="minilm")
    arguments = parser.parse_args()
    bare_rates: list[float] = []
    chain_rates: list[float] = []
    embedder_rates: list[float] = []
    local_rates: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        trimmed_corpus(arguments.collection, folder / "files", arguments.documents)
        for turn in range(ROUNDS):
            with opened(folder / f"kb{turn}.db", arguments.embedder) as base:
                embedder = base.parts.embedder
                assert embedder is not None
                chain_rates.append(ingest_rate(base, folder / "files"))
                writes = base.parts.store.export([one.doc_id for one in base.documents()])
                chunks = [
                    (c.chunk_id, c.text, index_text(w.document.title, c.heading_path, c.text))
                    for w in writes
                    for c in w.chunks
                ]
                bare = BareMilvus.create(
                    folder / f"bare{turn}.db",
                    embedder=embedder,
                    analyzer=Analyzer(),
                )
                started = time.perf_counter()
                bare.insert(chunks)
                bare_rates.append(len(chunks) / (time.perf_counter() - started))
                bare.close()
                started = time.perf_counter()
                embedder.embed_documents([indexed for _, _, indexed in chunks])
                embedder_rates.append(len(chunks) / (time.perf_counter() - started))
            with opened(folder / f"kb{turn}", arguments.embedder) as base:
                local_rates.append(ingest_rate(base, folder / "files"))
    figures: dict[str, Any] = {
        "embedder": arguments.embedder,
        "chunks": len(chunks),
        "rounds": ROUNDS,
        "bare_chunks_per_s": [round(rate, 1) for rate in bare_rates],
        "ingest_chunks_per_s": [round(rate, 1) for rate in chain_rates],
        "median_share": round(
            statistics.median(c / b for c, b in zip(chain_rates, bare_rates, strict=True)), 3
        ),
        "least_share_allowed": 0.6,
        "embedder_alone_chunks_per_s": [round(rate, 1) for rate in embedder_rates],
        "local_store_chunks_per_s": [round(rate, 1) for rate in local_rates],
        "median_local_share_of_embedder": round(
            statistics.median(c / e for c, e in zip(local_rates, embedder_rates, strict=True)), 3
        ),
        "least_local_share_allowed": 0.85,
    }
    print(figures)
    print(f"written to {write_result('ingest', figures)}")


if __name__ == "__main__":
    main()
