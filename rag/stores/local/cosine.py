"""Exact cosine search: fast in float32, decided in float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag.stores.local.vector_matrix import VectorBlock

# A float32 dot product of unit vectors is off by less than this, so that nothing that belongs
# among the best is lost before the exact comparison.
_ROUNDING = 1e-5
_GATHER_BELOW = 0.25  # share of a block that must pass for its whole product to be cheaper


def best_cosines(
    blocks: Sequence[VectorBlock],
    query: NDArray[np.float32],
    scope: NDArray[np.bool_],
    depth: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return positions inside ``scope`` that may be among the ``depth`` best, and their cosines.

    The cosines are exact, so equal vectors have equal ones; there are more than ``depth`` where
    the last place is tied. In no particular order.
    """
    found: list[tuple[VectorBlock, NDArray[np.int64], NDArray[np.float32]]] = []
    for block in blocks:
        passing = scope[block.positions]
        count = int(np.count_nonzero(passing))
        if not count:
            continue
        chosen = np.flatnonzero(passing)
        if count < _GATHER_BELOW * len(passing):
            found.append((block, chosen, block.vectors[chosen] @ query))
        else:
            found.append((block, chosen, (block.vectors @ query)[chosen]))
    if not found:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
    rough = np.concatenate([scores for _, _, scores in found])
    least = -np.inf
    if len(rough) > depth:
        least = np.partition(rough, len(rough) - depth)[len(rough) - depth] - _ROUNDING
    positions = []
    cosines = []
    for block, chosen, scores in found:
        kept = chosen[scores >= least]
        positions.append(block.positions[kept])
        cosines.append(exact_cosines(block.vectors[kept], query))
    return np.concatenate(positions), np.concatenate(cosines)


def exact_cosines(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the cosine of each row with the query, in [-1, 1], computed in float64.

    Each row is summed by itself, so it does not depend on its neighbours.
    """
    wide = vectors.astype(np.float64)
    target = query.astype(np.float64)
    # one root of the product: a vector has the cosine 1.0 with itself, to the last digit
    lengths = np.sqrt((wide * wide).sum(axis=1) * (target * target).sum())
    cosines: NDArray[np.float64] = np.clip((wide * target).sum(axis=1) / lengths, -1.0, 1.0)
    return cosines
