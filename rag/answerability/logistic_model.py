"""A logistic model over standardised features: a handful of numbers, readable in JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

_STEEPEST = 30.0  # beyond, a double rounds the probability to 0 or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticModel:
    """p = 1 / (1 + e^−z),  z = intercept + Σ coefficient · (feature − mean) / scale.

    The four tuples have one entry per feature; scales are above 0.
    """

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float

    def __post_init__(self) -> None:
        numbers = (*self.means, *self.scales, *self.coefficients, self.intercept)
        lengths = {len(self.means), len(self.scales), len(self.coefficients), len(self.features)}
        if len(lengths) != 1 or not all(map(math.isfinite, numbers)) or min(self.scales) <= 0:
            raise ValueError("a model needs one finite mean, scale > 0 and coefficient per feature")

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability in (0, 1); KeyError where a feature is missing."""
        z = self.intercept
        for name, mean, scale, coefficient in zip(
            self.features, self.means, self.scales, self.coefficients, strict=True
        ):
            z += coefficient * (features[name] - mean) / scale
        return 1 / (1 + math.exp(-min(max(z, -_STEEPEST), _STEEPEST)))
