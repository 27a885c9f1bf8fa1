"""What a kind of score says: named by whoever has the scores, since no number tells."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rag.errors import InvalidArgumentError
from rag.errors.rag_error import in_words
from rag.ranking.records import ScoreKind, ScoreLabel, SearchMode
from rag.ranking.score_normalizer import COSINE_TOLERANCE

RANK = "rank"
"""The kind of a list whose order alone is known: it has no scores, or nobody can say what they
are, as with a reranker's."""


COSINE_OVERSHOOT = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HitScale:
    """How a kind of score becomes a quality, which search it is of, and its range."""

    kind: str
    label: ScoreLabel
    mode: SearchMode
    score_kind: ScoreKind
    least: float = 0.0
    most: float = 1.0

    def holds(self, score: float) -> bool:
        """Whether a finite score may be of this kind.

        A cosine may: it is clamped up to twice its range, since vectors that are not quite of
        unit length give one beyond 1 (up to 2 for lengths up to the root of 2). Further out it is
        another kind of score, such as BM25, and clamping would make a certainty of it.
        """
        slack = COSINE_OVERSHOOT if self.score_kind is ScoreKind.COSINE else COSINE_TOLERANCE
        return self.least - slack <= score <= self.most + slack

    def overshoots(self, score: float) -> bool:
        """Whether a score is held, but lies further outside of its range than rounding explains."""
        slack = COSINE_TOLERANCE  # single precision may end a little outside
        outside = not self.least - slack <= score <= self.most + slack
        return outside and math.isfinite(score)

    @property
    def in_words(self) -> str:
        """The range that scores of this kind are in."""
        return f"from {self.least:g} " + (
            "upwards" if self.most == math.inf else f"to {self.most:g}"
        )


_SCALES = {
    scale.kind: scale
    for scale in (
        HitScale(
            kind="cosine",
            label=ScoreLabel.DENSE,
            mode=SearchMode.VECTOR,
            score_kind=ScoreKind.COSINE,
            least=-1.0,
        ),
        HitScale(
            kind="bm25",
            label=ScoreLabel.HYBRID,
            mode=SearchMode.LEXICAL,
            score_kind=ScoreKind.BM25,
            most=math.inf,
        ),
        HitScale(
            kind="rrf", label=ScoreLabel.HYBRID, mode=SearchMode.HYBRID, score_kind=ScoreKind.RRF
        ),
        HitScale(
            kind="minmax",
            label=ScoreLabel.HYBRID,
            mode=SearchMode.HYBRID,
            score_kind=ScoreKind.MINMAX,
        ),
        # The quality is the rank's alone, so the kind beside it is never read.
        HitScale(
            kind=RANK, label=ScoreLabel.HYBRID, mode=SearchMode.HYBRID, score_kind=ScoreKind.RRF
        ),
    )
}


def hit_scale(score_kind: str | None) -> HitScale:
    """Return the scale of the kind that the caller named.

    Raises:
        InvalidArgumentError: it is missing or unknown; a kind is never guessed from the numbers.
    """
    if isinstance(score_kind, str) and score_kind in _SCALES:
        return _SCALES[score_kind]
    kinds = ", ".join(_SCALES)
    raise InvalidArgumentError(
        (
            f"score_kind is missing; it must be one of: {kinds}"
            if score_kind is None
            else f"unknown score_kind {in_words(score_kind, limit=80)}; expected one of: {kinds}"
        ),
        given=score_kind,
        allowed=f"one of: {kinds}",
        hint="say what the retriever's scores are; turn a distance into a cosine first; take "
        "rank where only the order is known",
    )
