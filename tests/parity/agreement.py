"""How far two rankings agree, and how far two engines can."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

LEAST_OVERLAP = 0.9  # of the ten best, on the mean over many questions
SINGLE_PRECISION = 1e-6  # what the last digit of a float32 is off by, relatively


def overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of the longer list that the other has too; 1.0 of two empty ones."""
    longer = max(len(one), len(other))
    return len(set(one) & set(other)) / longer if longer else 1.0


def descends(scores: Sequence[float]) -> bool:
    """Whether no score is above the one before it, as far as single precision can tell."""
    return all(b <= a * (1 + SINGLE_PRECISION) for a, b in pairwise(scores))
