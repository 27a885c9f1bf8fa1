"""BM25 as both engines state it, written out a second time, to hold their answers against."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rag.ingest.index_text import heading_text
from rag.ranking.records import StoredChunk
from rag.text import Analyzer


class Okapi:
    """Scores chunks of one corpus, whose statistics are those of exactly these chunks.

    score = Σ over words of  ln(1 + (N - n + 0.5) / (n + 0.5)) · tf · (k1 + 1)
    / (tf + k1 · (1 - b + b · length / mean length)),
    tf = times in the text + ``heading_weight`` · times in the headings, length likewise.
    """

    def __init__(
        self,
        chunks: Iterable[StoredChunk],
        analyzer: Analyzer,
        *,
        heading_weight: float,
        k1: float = 1.2,
        b: float = 0.75,
    ) -> None:
        self._k1 = k1
        self._b = b
        self._counts: dict[str, Mapping[str, float]] = {}
        self._lengths: dict[str, float] = {}
        self._holding: Counter[str] = Counter()
        for chunk in chunks:
            counts: Counter[str] = Counter()
            for term in analyzer.terms(chunk.text):
                counts[term] += 1
            for term in analyzer.terms(heading_text(chunk.title, chunk.heading_path)):
                counts[term] += heading_weight
            self._counts[chunk.chunk_id] = counts
            self._lengths[chunk.chunk_id] = sum(counts.values())
            self._holding.update(counts.keys())
        self._mean = sum(self._lengths.values()) / len(self._lengths)

    def __contains__(self, chunk_id: str) -> bool:
        return chunk_id in self._counts

    def score(self, terms: Sequence[str], chunk_id: str) -> float:
        """Return the score of one chunk for the distinct terms of a query."""
        counts = self._counts[chunk_id]
        norm = self._k1 * (1 - self._b + self._b * self._lengths[chunk_id] / self._mean)
        total, score = len(self._counts), 0.0
        for term in terms:
            tf = counts.get(term, 0)
            if tf:
                n = self._holding[term]
                idf = math.log(1 + (total - n + 0.5) / (n + 0.5))
                score += idf * tf * (self._k1 + 1) / (tf + norm)
        return score
