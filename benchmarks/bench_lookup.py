"""What the chain adds to a look-up: LookupKnowledgeTool against bare pymilvus, in one run.

    python -m benchmarks.bench_lookup DATASETS/scifact

Both answer the same questions over one collection of about 5,000 chunks on Milvus Lite, by
turns, so that whatever else the machine does falls on both.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from pymilvus import MilvusClient

import rag
from benchmarks.arguments import benchmark_parser
from benchmarks.bare_milvus import BareMilvus
from benchmarks.beir import load_collection, write_as_files
from benchmarks.result_file import write_result
from rag.evidence import EvidencePacker, EvidencePostProcessor, EvidenceProjector, RelevanceGate
from rag.ranking import ReciprocalRankFusion, RetrievalScoreNormalizer
from rag.retrieval import SearchQuery, SearchResponse
from rag.settings import Settings, load_settings
from rag.stores.milvus.store import MilvusHybridKnowledgeStore
from rag.text import Analyzer, TokenCounter, make_token_counter
from rag.tool import LookupKnowledgeTool

DOCUMENTS = 3_700  # of scifact: about 5,000 chunks
QUESTIONS = 100
ROUNDS = 3
HITS = 50  # for the steps after the store
REPEATS = 5


class StopwatchCounter:
    """Counts as another counter does, and keeps the time that counting takes."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self.name = counter.name
        self.seconds = 0.0

    def count(self, text: str) -> int:
        started = time.perf_counter()
        tokens = self._counter.count(text)
        self.seconds += time.perf_counter() - started
        return tokens

    def prefix(self, text: str, max_tokens: int) -> int:
        started = time.perf_counter()
        length = self._counter.prefix(text, max_tokens)
        self.seconds += time.perf_counter() - started
        return length


class CannedService:
    """Answers every query with one response, so that only what comes after it is timed."""

    def __init__(self, response: SearchResponse) -> None:
        self.response = response

    def search(self, query: SearchQuery) -> SearchResponse:
        return self.response

    def cursor_at(self, *given: Any, **named: Any) -> str:
        return ""


def milliseconds(call: Callable[[], Any]) -> float:
    """Return how long one call takes."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1_000


def trimmed_corpus(source: Path, target: Path, documents: int) -> None:
    """Write the first documents of a collection as files."""
    write_as_files(load_collection(source), target)
    for extra in islice(sorted(target.iterdir()), documents, None):
        extra.unlink()


def after_store(
    base: rag.KnowledgeBase, settings: Settings, questions: list[str]
) -> dict[str, Any]:
    """Time everything after the store for 50 hits: texts new to the process, and seen before."""
    counter = StopwatchCounter(make_token_counter(settings.evidence.token_counter))
    first: list[float] = []
    again: list[float] = []
    for question in questions:
        response = base.parts.service.search(SearchQuery(text=question, k=HITS))
        tool = LookupKnowledgeTool(
            service=CannedService(response),  # type: ignore[arg-type]  # stands in for the search
            normalizer=RetrievalScoreNormalizer(),
            post_processor=EvidencePostProcessor(settings.evidence),
            gate=RelevanceGate(settings.gate),
            packer=EvidencePacker(counter),
            projector=EvidenceProjector(stale_after_days=settings.search.stale_after_days),
            analyzer=Analyzer(settings.text.stemmer),
            unmatched_terms=lambda terms, filters: (),
            settings=settings,
        )
        times = []
        for _ in range(REPEATS):
            counter.seconds = 0.0
            whole = milliseconds(lambda: tool.lookup(question))  # noqa: B023  # called at once
            times.append(whole - counter.seconds * 1_000)
        first.append(times[0])
        again.append(statistics.median(times[1:]))
    return {
        "hits": HITS,
        "texts_new_median_ms": round(statistics.median(first), 3),
        "texts_seen_median_ms": round(statistics.median(again), 3),
        "allowed_ms": 1.0,
    }


def compare(base: rag.KnowledgeBase, bare: BareMilvus, questions: list[str]) -> dict[str, Any]:
    """Ask both by turns; return medians and their ratio."""
    settings = base.settings
    fusion = ReciprocalRankFusion(k=settings.search.rrf_k, weights=base.parts.weights)
    depth = settings.search.candidates
    bare_ms: list[float] = []
    chain_ms: list[float] = []
    for turn in range(ROUNDS + 1):  # the first only warms both
        for question in questions:
            alone = milliseconds(lambda: bare.lookup(question, candidates=depth, fusion=fusion))  # noqa: B023  # called at once
            chain = milliseconds(lambda: base.lookup(question))  # noqa: B023  # called at once
            if turn:
                bare_ms.append(alone)
                chain_ms.append(chain)
    return {
        "bare_median_ms": round(statistics.median(bare_ms), 2),
        "lookup_median_ms": round(statistics.median(chain_ms), 2),
        "ratio_of_medians": round(statistics.median(chain_ms) / statistics.median(bare_ms), 3),
        "median_of_ratios": round(
            statistics.median(c / b for c, b in zip(chain_ms, bare_ms, strict=True)), 3
        ),
        "allowed_ratio": 1.25,
    }


def main() -> None:
    parser = benchmark_parser(__doc__, "collection")
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    arguments = parser.parse_args()
    questions = list(load_collection(arguments.collection).queries.values())[:QUESTIONS]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        trimmed_corpus(arguments.collection, folder / "files", arguments.documents)
        settings = load_settings(store={"uri": str(folder / "kb.db")})
        with rag.open(settings) as base:
            base.ingest(folder / "files")
            parts = base.parts
            assert parts.embedder is not None
            analyzer = Analyzer(settings.text.stemmer)
            store = parts.store
            assert isinstance(store, MilvusHybridKnowledgeStore)
            bare = BareMilvus(
                MilvusClient(settings.store.uri),
                store.collection,
                embedder=parts.embedder,
                analyzer=analyzer,
            )
            figures = {
                "chunks": store.stats().chunks,
                "questions": len(questions),
                "rounds": ROUNDS,
                **compare(base, bare, questions),
                "after_store": after_store(base, settings, questions),
            }
            bare.close()
    print(figures)
    print(f"written to {write_result('lookup', figures)}")


if __name__ == "__main__":
    main()
