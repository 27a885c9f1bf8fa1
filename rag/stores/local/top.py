"""The best of many scores in an order that depends on nothing but score and chunk id."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def top_positions(
    scores: NDArray[np.float64],
    positions: NDArray[np.int64],
    id_keys: NDArray[np.int64],
    depth: int,
) -> NDArray[np.int64]:
    """Return up to ``depth`` of ``positions``, best score first, ties by ascending id key.

    ``scores`` has one entry per entry of ``positions``; ``id_keys`` one per position.
    """
    if len(positions) > depth:
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        kept = scores >= least  # with every tie at the cut, so that the ids decide
        scores, positions = scores[kept], positions[kept]
    order = np.lexsort((id_keys[positions], -scores))[:depth]
    chosen: NDArray[np.int64] = positions[order]
    return chosen
