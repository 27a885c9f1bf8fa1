"""Measure the analyser's speed on English text, and the ranking quality of its terms.

Speed: millions of UTF-8 bytes a second on one core for ``terms`` and ``tokens``, document by
document, the best of a few rounds. Quality: nDCG@10 of BM25 (k1 1.2, b 0.75) over title and text,
with the terms of this analyser and nothing else; a document without a query term is not returned.
"""

from __future__ import annotations

import csv
import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.arguments import benchmark_parser
from benchmarks.result_file import write_result
from rag.text import Analyzer

SPEED_COLLECTION = "squad2-a"  # English prose
QUALITY_TARGETS = {"scifact": 0.68, "squad2-a": 0.90, "tidb-faq-zh-a": 0.63, "kobest-boolq": 0.95}
LEAST_RATE = 2.0  # megabytes a second
ROUNDS = 5
K1, B = 1.2, 0.75
CUTOFF = 10


def _json_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rate(analyse: Callable[[str], object], texts: list[str]) -> float:
    """Return millions of UTF-8 bytes a second, the best of a few rounds over all texts."""
    size = sum(len(text.encode()) for text in texts)
    best = math.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for text in texts:
            analyse(text)
        best = min(best, time.perf_counter() - start)
    return round(size / best / 1e6, 2)


class Bm25Index:
    """BM25 with the idf ``ln(1 + (N - n + 0.5) / (n + 0.5))``, exact, in memory."""

    def __init__(self, analyzer: Analyzer, texts: list[str]) -> None:
        self._analyzer = analyzer
        self._lengths = np.zeros(len(texts))
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, text in enumerate(texts):
            terms = analyzer.terms(text)
            self._lengths[row] = len(terms)
            for term, count in Counter(terms).items():
                postings[term].append((row, count))
        self._postings = {term: np.array(rows) for term, rows in postings.items()}

    def scores(self, query: str) -> NDArray[np.float64]:
        """Return one score per text."""
        size = len(self._lengths)
        scores = np.zeros(size)
        norm = K1 * (1 - B + B * self._lengths / self._lengths.mean())
        for term in self._analyzer.query_terms(query):
            if term not in self._postings:
                continue
            rows, counts = self._postings[term].T
            idf = math.log(1 + (size - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += idf * counts * (K1 + 1) / (counts + norm[rows])
        return scores


def ndcg(folder: Path, analyzer: Analyzer) -> float:
    """Return the mean nDCG@10 over the queries with relevance judgements."""
    documents = _json_lines(folder / "corpus.jsonl")
    ids = [document["_id"] for document in documents]
    index = Bm25Index(analyzer, [f"{d.get('title') or ''}\n{d['text']}" for d in documents])
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            judged[row["query-id"]][row["corpus-id"]] = int(row["score"])
    discounts = 1 / np.log2(np.arange(2, CUTOFF + 2))
    values = []
    for query in _json_lines(folder / "queries.jsonl"):
        if query["_id"] not in judged:
            continue
        relevance = judged[query["_id"]]
        scores = index.scores(query["text"])
        order = [int(row) for row in np.argsort(-scores, kind="stable")[:CUTOFF] if scores[row] > 0]
        gains = np.array([relevance.get(ids[row], 0) for row in order])
        ideal = np.sort(list(relevance.values()))[::-1][:CUTOFF]
        values.append(
            float(gains @ discounts[: len(gains)]) / float(ideal @ discounts[: len(ideal)])
        )
    return round(float(np.mean(values)), 4)


def main() -> int:
    """Print and write the figures; exit 1 where a target is missed."""
    datasets: Path = benchmark_parser(__doc__).parse_args().datasets
    analyzer = Analyzer()
    texts = [d["text"] for d in _json_lines(datasets / SPEED_COLLECTION / "corpus.jsonl")]
    figures: dict[str, Any] = {
        "analyzer": analyzer.version,
        "megabytes_a_second": {
            "terms": rate(analyzer.terms, texts),
            "tokens": rate(analyzer.tokens, texts),
        },
        "ndcg_at_10": {name: ndcg(datasets / name, analyzer) for name in QUALITY_TARGETS},
        "targets": {"megabytes_a_second": LEAST_RATE, "ndcg_at_10": QUALITY_TARGETS},
    }
    print(json.dumps(figures, indent=2))
    print(write_result("analyzer", figures))
    reached = figures["ndcg_at_10"]
    missed = [name for name, target in QUALITY_TARGETS.items() if reached[name] < target]
    slow = figures["megabytes_a_second"]["terms"] < LEAST_RATE
    return int(bool(missed) or slow)


if __name__ == "__main__":
    raise SystemExit(main())
