"""Fits a logistic model: standardised features, L2 penalty, weights per example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from rag.answerability.logistic_model import LogisticModel

_LEAST_SCALE = 1e-6  # a feature that does not vary is left as it is


def fit_logistic(
    examples: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    weights: Sequence[float],
    *,
    features: Sequence[str],
    l2: float,
) -> LogisticModel:
    """Return the model that minimises weighted mean log loss + l2/2 · |coefficients|².

    The intercept is not penalised. Convex, so the result does not depend on a start.
    """
    x = np.array([[one[name] for name in features] for one in examples], dtype=np.float64)
    y = np.array(labels, dtype=np.float64)
    w = np.array(weights, dtype=np.float64)
    w /= w.sum()
    means = w @ x
    scales = np.maximum(np.sqrt(w @ (x - means) ** 2), _LEAST_SCALE)
    z = (x - means) / scales

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = theta[0] + z @ theta[1:]
        value = w @ (np.logaddexp(0, logits) - y * logits) + l2 / 2 * theta[1:] @ theta[1:]
        error = w * (1 / (1 + np.exp(-np.clip(logits, -500, 500))) - y)
        return float(value), np.concatenate([[error.sum()], z.T @ error + l2 * theta[1:]])

    found = minimize(loss, np.zeros(len(features) + 1), jac=True, method="L-BFGS-B")  # type: ignore[no-untyped-call]  # scipy is untyped
    rounded = [[round(float(v), 6) for v in part] for part in (means, scales, found.x)]
    return LogisticModel(
        features=tuple(features),
        means=tuple(rounded[0]),
        scales=tuple(rounded[1]),
        coefficients=tuple(rounded[2][1:]),
        intercept=rounded[2][0],
    )
