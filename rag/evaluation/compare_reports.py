"""Which differences between two evaluations are larger than chance, and which are regressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from rag.errors import InvalidArgumentError
from rag.wire.evaluation_records import Difference

Verdict = Literal["better", "worse", "same"]


def compare_reports(
    before: Mapping[str, Any], after: Mapping[str, Any], *, tolerance: float
) -> tuple[Difference, ...]:
    """Return the differences in the measures that both reports have.

    Raises:
        InvalidArgumentError: the reports are of other questions, or share no measure.
    """
    for field in ("name", "questions"):
        if before[field] != after[field]:
            raise InvalidArgumentError(
                f"the reports are of different {field}: {before[field]} and {after[field]}",
                given=str(after[field]),
                allowed="two reports on the same questions",
            )
    known = dict(_measures(after))
    found = []
    for name, (mean, low, high) in _measures(before):
        if name not in known:
            continue
        other, other_low, other_high = known[name]
        moved = other - mean
        apart = (
            not (low <= other <= high or other_low <= mean <= other_high)
            if low < high or other_low < other_high
            else abs(moved) > tolerance
        )
        verdict: Verdict = "same"
        if apart:
            verdict = "better" if moved > 0 else "worse"
        found.append(
            Difference(
                measure=name,
                before=mean,
                after=other,
                verdict=verdict,
                regression=verdict == "worse" and -moved > tolerance,
            )
        )
    if not found:
        raise InvalidArgumentError("the reports share no measure")
    return tuple(found)


def _measures(report: Mapping[str, Any]) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Yield each measure's name, mean and interval; a measure without one has no width."""
    for mode, measures in report["retrieval"].items():
        for name, one in measures.items():
            yield f"{mode} {name}", (one["mean"], one["low"], one["high"])
    for kind, curve in report["trust"].items():
        for name in ("auroc", "brier_skill"):
            value = curve["separation"][name]
            yield f"{kind} {name}", (value, value, value)
    for point in report["budgets"]:
        one = point["retained"]
        yield f"retained at {point['budget']} tokens", (one["mean"], one["low"], one["high"])
