"""What the words of a query weigh in the corpus, and which of them the best hits hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag.stores.local.bm25 import idf
from rag.stores.local.postings import Postings
from rag.stores.records import QueryTerm, TermReport

MOST_TERMS = 128  # of a query; a longer one is a document, of which this much is a fair sample
COVERED_RANKS = 64  # beyond what a page shows, so that hits may be left out of it afterwards


def report_terms(
    terms: Sequence[str],
    words: Sequence[Postings],
    corpus: NDArray[np.bool_],
    best: NDArray[np.int64],
    *,
    saturation: float,
) -> TermReport:
    """Return the report of ``terms`` with their postings and the positions of the best hits.

    ``corpus``, shape ``(n,)``, are the positions that frequencies are counted in.
    """
    total = int(np.count_nonzero(corpus))
    whole = total == len(corpus)
    tops = best[:COVERED_RANKS]
    holds = [0] * len(tops)
    described = []
    for place, (term, word) in enumerate(zip(terms[:MOST_TERMS], words, strict=False)):
        count = len(word.positions)
        holding = count if whole else int(np.count_nonzero(corpus[word.positions]))
        described.append(QueryTerm(term=term, document_frequency=holding, idf=idf(total, holding)))
        if count and len(tops):
            at = np.searchsorted(word.positions, tops)
            at[at == count] = 0
            for rank in np.flatnonzero(word.positions[at] == tops).tolist():
                holds[rank] |= 1 << place
    return TermReport(
        total=total, saturation=saturation, terms=tuple(described), holds=tuple(holds)
    )
