"""An answerability profile as a page shows it: what it was fitted on, how honest it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.answerability.profile import AnswerabilityProfile

SIDE = 240  # of the drawing's square, in its own units
RELIABILITY = "reliability"
LARGEST, SMALLEST = 9.0, 2.5  # radius of a point that weighs all, and the least one
# The measures that a profile may hold, by the construction of its unanswerable questions.
MEASURES = (("auroc", "AUROC"), ("brier_skill", "Brier skill"), ("ece", "calibration error"))
CONSTRUCTIONS = (
    ("cross", "questions of other collections"),
    ("removed", "questions whose answers were removed"),
    ("given", "questions given as unanswerable"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityPoint:
    """One bin: how often questions were answered that got about this probability."""

    probability: float
    answered: float
    weight: float

    @property
    def x(self) -> float:
        return round(self.probability * SIDE, 1)

    @property
    def y(self) -> float:
        return round((1 - self.answered) * SIDE, 1)

    @property
    def radius(self) -> float:
        return round(max(SMALLEST, LARGEST * math.sqrt(self.weight)), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityPlot:
    """A reliability diagram; the nearer its points are to the diagonal, the more honest."""

    title: str
    points: tuple[ReliabilityPoint, ...]

    @property
    def line(self) -> str:
        """The points as an SVG polyline has them."""
        return " ".join(f"{point.x},{point.y}" for point in self.points)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityView:
    """A profile, its plots, and rows of measured errors: a name and a text for each measure."""

    profile: AnswerabilityProfile
    plots: tuple[ReliabilityPlot, ...]
    measured: tuple[tuple[str, tuple[str, ...]], ...]
    measures: tuple[str, ...] = tuple(label for _, label in MEASURES)
    side: int = SIDE


def answerability_view(profile: AnswerabilityProfile) -> AnswerabilityView:
    """Return how a profile is shown; a measure that it does not hold is left out."""
    return AnswerabilityView(
        profile=profile,
        plots=_plots(profile.measured.get(RELIABILITY)),
        measured=tuple(
            (label, tuple(_range(profile.measured.get(f"{name}_{key}")) for key, _ in MEASURES))
            for name, label in CONSTRUCTIONS
            if any(f"{name}_{key}" in profile.measured for key, _ in MEASURES)
        ),
    )


def _plots(given: Any) -> tuple[ReliabilityPlot, ...]:
    """Return the plots of (mean probability, share answered, weight) bins, by construction.

    They stand in the order of the table's rows; a construction that has no row comes after them.
    """
    if isinstance(given, Mapping):
        labels = dict(CONSTRUCTIONS)
        order = [
            *(name for name in labels if name in given),
            *(n for n in given if n not in labels),
        ]
        named = {labels.get(name, str(name)): given[name] for name in order}
    else:
        named = {"all questions": given or ()}
    plots = [ReliabilityPlot(title=title, points=_points(bins)) for title, bins in named.items()]
    return tuple(plot for plot in plots if plot.points)


def _points(bins: Sequence[tuple[float, float, float]]) -> tuple[ReliabilityPoint, ...]:
    return tuple(
        ReliabilityPoint(probability=probability, answered=answered, weight=weight)
        for probability, answered, weight in sorted(map(tuple, bins))
    )


def _range(value: Any) -> str:
    return _said(value).replace("-", "−")  # a minus sign, as wide as a plus


def _said(value: Any) -> str:
    """Return a measure as ``0.83 (0.65–0.96)``: the mean over collections, the least, the most."""
    if isinstance(value, Mapping) and "mean" in value:
        mean, least, most = (value.get(name) for name in ("mean", "least", "most"))
        if least is None or most is None or least == most:
            return f"{mean:.2f}"
        return f"{mean:.2f} ({least:.2f}–{most:.2f})"
    return f"{value:.2f}" if isinstance(value, int | float) else "–"
