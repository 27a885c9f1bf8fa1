"""The only place where a score becomes a quality."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from rag.platform.logs import get_logger
from rag.ranking.records import NONFINITE_SCORE, Quality, ScoreLabel, SearchHit

Similarity = Literal["cosine", "inner_product", "l2"]

# Float32 arithmetic puts the cosine of two equal unit vectors up to some 1e-6 above 1; an excess
# beyond a thousandth is no rounding: the vectors were not of unit length.
COSINE_TOLERANCE = 1e-3

_FLAGGED = Quality(value=0.0, flags=(NONFINITE_SCORE,))
_log = get_logger(__name__)


class RetrievalScoreNormalizer:
    """Turns labelled hits into qualities in [0, 1].

    A quality is an ordinal for label ``hybrid`` and a similarity for label ``dense``; it is
    never confidence. No score, keyword, domain or source lifts a hit over another: in hybrid
    the quality is the rank's alone, and in dense the similarity's alone.
    """

    def to_quality_score(
        self, hit: SearchHit, batch_size: int, similarity: Similarity = "cosine"
    ) -> Quality:
        """Return the quality of one hit of a batch of ``batch_size``.

        Label ``hybrid``: ``1 − (rank − 1) / batch_size``, whatever the size of the score; a
        score that the store does not have (None) changes nothing, one that is NaN or infinite
        gives 0.0 with the flag ``nonfinite_score``.

        Label ``dense``: the score as a similarity, clamped to [0, 1]: a cosine as it is; an
        inner product as it is, which holds for unit vectors only; an L2 distance d between unit
        vectors as ``1 − d²/2``. NaN, infinity and None give 0.0 with the flag.

        Raises:
            ValueError: the rank is outside 1..batch_size, which is a fault of the caller.
        """
        rank = hit.rank
        if not 1 <= rank <= batch_size:
            raise ValueError(f"rank {rank} is outside 1..{batch_size}, the size of the batch")
        score = hit.score
        if hit.score_label is ScoreLabel.HYBRID:
            if score is not None and not math.isfinite(score):
                return _FLAGGED
            return Quality(value=rank_to_quality(rank, batch_size))
        if score is None or not math.isfinite(score):
            return _FLAGGED
        if similarity == "l2":
            score = 1.0 - score * score / 2.0
        elif similarity not in ("cosine", "inner_product"):
            raise ValueError(
                f"unknown similarity {similarity!r}; expected one of: cosine, inner_product, l2"
            )
        if abs(score) > 1.0 + COSINE_TOLERANCE:
            _log.warning(
                "a similarity lies outside -1..1: the vectors are not of unit length",
                similarity=similarity,
                value=score,
                chunk_id=hit.chunk.chunk_id,
            )
        return Quality(value=min(1.0, max(0.0, float(score))))  # engines may give a numpy number

    def to_quality_scores(
        self, hits: Sequence[SearchHit], *, offset: int = 0, similarity: Similarity = "cosine"
    ) -> tuple[Quality, ...]:
        """Return the qualities of a page of hits, in order.

        ``offset`` hits came on earlier pages and the ranks go on from there, so the batch is
        all of the list up to the end of the page: a hit on page two has the quality it would
        have had in one page of that length, and never 1.0. A rank may be missing, where a
        chunk vanished while it was read; the batch goes to the last rank all the same.

        Raises:
            ValueError: a rank belongs to an earlier page, or ranks do not rise.
        """
        last = offset
        for hit in hits:
            if hit.rank <= last:
                raise ValueError(f"rank {hit.rank} follows rank {last}; ranks rise from 1")
            last = hit.rank
        return tuple(self.to_quality_score(hit, last, similarity) for hit in hits)


def rank_to_quality(rank: int, batch_size: int) -> float:
    """Return ``1 − (rank − 1) / batch_size``: from 1.0 down in even steps, never 0."""
    return 1.0 - (rank - 1) / batch_size
