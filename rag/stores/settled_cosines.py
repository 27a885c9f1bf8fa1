"""Cosines that single precision cannot tell apart, made equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

COSINE_DECIMALS = 6  # single precision holds no more of a cosine
INDISTINCT = 5e-7  # several times what rounding in single precision adds to a cosine


def settle_cosines(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosines rounded to six decimals, and as one where they are nearer than 5e-7.

    Equal texts, and others whose cosines are equal on paper, come out of an engine apart by some
    1e-8, depending on their place in memory; only after this are they tied, so that their chunk
    ids decide, in every store alike. Rounding alone would part some of them.

    Takes shape ``(n,)`` in any order and keeps it; NaN stays NaN.
    """
    order = np.argsort(-cosines, kind="stable")
    descending = cosines[order]
    begins = np.ones(len(descending), dtype=np.bool_)
    begins[1:] = ~(descending[:-1] - descending[1:] <= INDISTINCT)
    settled = np.empty(len(descending), dtype=np.float64)
    settled[order] = np.round(descending[begins], COSINE_DECIMALS)[np.cumsum(begins) - 1]
    return settled
