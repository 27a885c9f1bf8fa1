"""An embedder without a model: fast, deterministic, for every script."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag.embedding import EmbedderIdentity
from rag.embedding.checked_vectors import checked_vector, checked_vectors
from rag.text import Analyzer, Script, clean_text

DIMENSIONS = 384  # as the default embedder's, so that an engine has the same work
WORDLESS = "\0"  # stands for a text without terms: such texts are near each other, never zero
REMEMBERED_TERMS = 200_000  # their places; about 20 MB


class HashingEmbedder:
    """Feature hashing (Weinberger et al. 2009) of the analyser's terms.

    Each distinct term adds ±(1 + ln tf) at one place, place and sign taken from its CRC-32, so
    that texts which share words are near each other, in any script, and nothing else is known of
    meaning. For tests and for measuring an engine without a model; it stands in for one, and
    is none.

    Args:
        dimensions: Length of the vectors, at least 2.
        stemmer: As in ``rag.text.Analyzer``.
    """

    scripts: frozenset[Script] | None = None
    fusion_weight = 1.0

    def __init__(self, *, dimensions: int = DIMENSIONS, stemmer: str = "english") -> None:
        self._analyzer = Analyzer(stemmer)
        self._places: dict[str, tuple[int, float]] = {}
        self.identity = EmbedderIdentity(
            name="hashing", revision=self._analyzer.version, dimensions=dimensions
        )

    def embed_documents(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        rows = [self._row(text) for text in texts]
        return checked_vectors(rows, count=len(texts), identity=self.identity)

    def embed_query(self, text: str, /) -> NDArray[np.float32]:
        return checked_vector(self._row(text), identity=self.identity)

    def close(self) -> None:
        """Nothing to free."""

    def _row(self, text: str) -> NDArray[np.float64]:
        counts = Counter(self._analyzer.terms(clean_text(text)))
        places = [self._place(term) for term in counts]
        weights = [
            sign * (1 + math.log(count))
            for (_, sign), count in zip(places, counts.values(), strict=True)
        ]
        size = self.identity.dimensions
        row = np.zeros(size)
        if places:
            row += np.bincount([at for at, _ in places], weights, minlength=size)
        if not row.any():  # no term, or terms that cancel each other out
            row[self._place(WORDLESS)[0]] = 1.0
        return row

    def _place(self, term: str) -> tuple[int, float]:
        """Return where a term adds, and with which sign."""
        known = self._places.get(term)
        if known is None:
            digest = zlib.crc32(term.encode("utf-8"))
            known = (digest >> 1) % self.identity.dimensions, 1.0 if digest & 1 else -1.0
            if len(self._places) >= REMEMBERED_TERMS:
                self._places = {}
            self._places[term] = known
        return known
