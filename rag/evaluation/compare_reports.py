"""Which differences between two evaluations are larger than chance, and which are regressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from rag.errors import InvalidArgumentError
from rag.wire.evaluation_records import Difference, EvalComparison, LoneMeasure

Verdict = Literal["better", "worse", "same"]
CALIBRATED = "calibrated verdicts"
"""1 for a report whose verdicts rest on an answerability profile, 0 for one whose do not."""


def compare_reports(
    before: Mapping[str, Any], after: Mapping[str, Any], *, tolerance: float
) -> EvalComparison:
    """Return the differences in the measures that both reports have, and what only one has.

    Where one report was made with an answerability profile and the other without, that is a
    difference of its own: the measures of answerability then stand in one report alone, and would
    hide it.

    Raises:
        InvalidArgumentError: the reports are of other questions, share no measure, or one is not
            whole.
    """
    first, second = _checked(before, "earlier"), _checked(after, "later")
    for field in ("name", "questions"):
        if before[field] != after[field]:
            raise InvalidArgumentError(
                f"the reports are of different {field}: {before[field]} and {after[field]}",
                given=str(after[field]),
                allowed="two reports on the same questions",
                hint="evaluate both times with the same file and the same --most and --cross",
            )
    differences = [
        _difference(name, one, second[name], tolerance)
        for name, one in first.items()
        if name in second
    ]
    if not differences:
        raise InvalidArgumentError(
            "the reports share no measure",
            given=", ".join(second) or "no measure",
            allowed=", ".join(first) or "reports with measures",
            hint="evaluate both times in the same way",
        )
    calibrated = [float(one.get("profile") is not None) for one in (before, after)]
    if calibrated[0] != calibrated[1]:
        old, new = ((value, value, value) for value in calibrated)
        differences.append(_difference(CALIBRATED, old, new, tolerance))
    return EvalComparison(
        tolerance=tolerance,
        regression=any(one.regression for one in differences),
        differences=tuple(differences),
        not_compared=(
            *(LoneMeasure(measure=name, only_in="before") for name in first if name not in second),
            *(LoneMeasure(measure=name, only_in="after") for name in second if name not in first),
        ),
    )


Interval = tuple[float, float, float]
"""A mean and its interval; a measure without one has no width."""


def _difference(name: str, one: Interval, other: Interval, tolerance: float) -> Difference:
    (before, low, high), (after, other_low, other_high) = one, other
    moved = after - before
    apart = (
        not (low <= after <= high or other_low <= before <= other_high)
        if low < high or other_low < other_high
        else abs(moved) > tolerance
    )
    verdict: Verdict = "same"
    if apart:
        verdict = "better" if moved > 0 else "worse"
    return Difference(
        measure=name,
        before=before,
        after=after,
        verdict=verdict,
        regression=verdict == "worse" and -moved > tolerance,
    )


def _checked(report: Mapping[str, Any], which: str) -> dict[str, Interval]:
    try:
        _ = report["name"], report["questions"]
        return {name: (float(a), float(b), float(c)) for name, (a, b, c) in _measures(report)}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidArgumentError(
            f"the {which} report is not whole: {type(error).__name__}: {error}",
            given=str(report.get("name")),
            allowed="a file that rag eval --out wrote",
            hint="write it again with: rag eval QUESTIONS --out FILE",
        ) from None


def _measures(report: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, Any, Any]]]:
    for mode, measures in report["retrieval"].items():
        for name, one in measures.items():
            yield f"{mode} {name}", (one["mean"], one["low"], one["high"])
    for kind, curve in report["answerability"].items():
        for name in ("auroc", "brier_skill"):
            value = curve["separation"][name]
            yield f"{kind} {name}", (value, value, value)
    for point in report["budgets"]:
        one = point["retained"]
        yield f"retained at {point['budget']} tokens", (one["mean"], one["low"], one["high"])
