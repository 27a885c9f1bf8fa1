"""How good a probability is: does it separate, is it honest, what does refusing buy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rag.wire.evaluation_records import Separation

BINS = 10
Numbers = NDArray[np.float64]


def separation(answered: Numbers, unanswered: Numbers) -> Separation:
    """Return the measures of two non-empty arrays of probabilities."""
    p, y, w = _balanced(answered, unanswered)
    brier = float(w @ (p - y) ** 2)
    error = sum(abs(mean - rate) * share for mean, rate, share in reliability(answered, unanswered))
    return Separation(
        answered=len(answered),
        unanswered=len(unanswered),
        auroc=auroc(answered, unanswered),
        brier_skill=1 - brier / 0.25,
        ece=float(error),
    )


def auroc(higher: Numbers, lower: Numbers) -> float:
    """Return the chance that one of ``higher`` exceeds one of ``lower``, ties half."""
    ordered = np.sort(lower)
    below = np.searchsorted(ordered, higher, side="left")
    up_to = np.searchsorted(ordered, higher, side="right")
    return float((below + up_to).sum() / (2 * len(higher) * len(lower)))


def reliability(answered: Numbers, unanswered: Numbers) -> list[tuple[float, float, float]]:
    """Return mean probability, share answered and weight of each bin that is not empty."""
    p, y, w = _balanced(answered, unanswered)
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    table = []
    for one in range(BINS):
        inside = bins == one
        weight = float(w[inside].sum())
        if weight:
            mean, rate = float(w[inside] @ p[inside]), float(w[inside] @ y[inside])
            table.append((mean / weight, rate / weight, weight))
    return table


def risk_coverage(answered: Numbers, unanswered: Numbers) -> list[tuple[float, float]]:
    """Return (coverage, risk) as the threshold falls: share of questions accepted, and how many
    of the accepted are unanswered; at every twentieth of the questions."""
    p, y, w = _balanced(answered, unanswered)
    order = np.argsort(-p, kind="stable")
    coverage, wrong = np.cumsum(w[order]), np.cumsum((w * (1 - y))[order])
    places = np.unique(np.clip(np.searchsorted(coverage, np.arange(1, 21) / 20), 0, len(p) - 1))
    return [(float(coverage[at]), float(wrong[at] / coverage[at])) for at in places]


def _balanced(answered: Numbers, unanswered: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return probabilities, labels and weights; each side weighs a half in all."""
    p = np.concatenate([answered, unanswered])
    y = np.concatenate([np.ones(len(answered)), np.zeros(len(unanswered))])
    shares = [np.full(len(side), 0.5 / len(side)) for side in (answered, unanswered)]
    return p, y, np.concatenate(shares)
