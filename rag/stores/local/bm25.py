"""BM25 over arrays: every chunk that holds a word of the query, scored exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.stores.local.postings import Postings
from rag.stores.local.row_table import RowTable

HEADING_WEIGHT = 1.5  # a word in the headings counts for this many in the text


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25:
    """Okapi BM25 (Robertson and Zaragoza 2009) with Lucene's idf, which is never negative.

    score = Σ over words of  idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length)),
    idf = ln(1 + (N - n + 0.5) / (n + 0.5)),  N chunks in the corpus, n of them with the word,
    tf = times in the text + ``heading_weight`` · times in the headings, length likewise.
    """

    k1: float = 1.2
    b: float = 0.75
    heading_weight: float = HEADING_WEIGHT

    def scores(
        self,
        table: RowTable,
        words: Sequence[Postings],
        *,
        corpus: NDArray[np.bool_],
        corpus_key: object,
    ) -> NDArray[np.float64]:
        """Return each position's score, shape ``(n,)``, 0.0 where no word stands.

        ``corpus`` are the positions that N, n and the mean length are taken from; scores
        outside it mean nothing. ``corpus_key`` tells corpora of one table apart.
        """
        total, norms = table.derive((self, "norms", corpus_key), lambda: self._norms(table, corpus))
        whole = table.all_live and corpus is table.live
        scores = np.zeros(len(table), dtype=np.float64)
        for word in words:
            holding = (
                len(word.positions) if whole else int(np.count_nonzero(corpus[word.positions]))
            )
            if not holding:
                continue
            tf = word.body + self.heading_weight * word.heading
            weight = idf(total, holding) * (self.k1 + 1)
            scores[word.positions] += weight * (tf / (tf + norms[word.positions]))
        return scores

    def _norms(self, table: RowTable, corpus: NDArray[np.bool_]) -> tuple[int, NDArray[np.float64]]:
        """Return N and each position's k1 · (1 - b + b · length / mean length)."""
        lengths = table.words + self.heading_weight * table.heading_words
        total = int(np.count_nonzero(corpus))
        mean = float(lengths[corpus].mean()) if total else 0.0
        return total, self.k1 * (1 - self.b + self.b * lengths / (mean or 1.0))


def idf(total: int, holding: int) -> float:
    """Return Lucene's inverse document frequency of a word in ``holding`` of ``total`` chunks."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))
