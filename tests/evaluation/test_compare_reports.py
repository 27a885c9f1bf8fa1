"""Which differences between two reports are larger than chance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rag.errors import InvalidArgumentError
from rag.evaluation.compare_reports import CALIBRATED, compare_reports
from rag.evaluation.report_file import read_report


def report(mean: float, low: float, high: float, **changes: Any) -> dict[str, Any]:
    return {
        "schema_version": "eval_report.v1",
        "name": "shelf",
        "questions": {"answerable": 100},
        "retrieval": {"hybrid": {"nDCG@10": {"mean": mean, "low": low, "high": high}}},
        "answerability": {"cross": {"separation": {"auroc": 0.99, "brier_skill": 0.8}}},
        "budgets": [{"budget": 500, "retained": {"mean": 0.9, "low": 0.8, "high": 1.0}}],
        **changes,
    }


BEFORE = report(0.80, 0.78, 0.82)


@pytest.mark.scenario("evaluation", "A regression")
def test_a_fall_beyond_interval_and_tolerance_is_a_regression():
    after = report(0.70, 0.68, 0.72)
    first = compare_reports(BEFORE, after, tolerance=0.01).differences[0]
    assert (first.measure, first.verdict, first.regression) == ("hybrid nDCG@10", "worse", True)
    first = compare_reports(BEFORE, after, tolerance=0.2).differences[0]
    assert (first.verdict, first.regression) == ("worse", False)


def test_a_difference_inside_an_interval_is_none():
    (first, *_) = compare_reports(BEFORE, report(0.79, 0.77, 0.81), tolerance=0.0).differences
    assert (first.verdict, first.regression) == ("same", False)
    (first, *_) = compare_reports(BEFORE, report(0.9, 0.88, 0.92), tolerance=0.0).differences
    assert first.verdict == "better"


def test_a_measure_without_interval_is_held_against_the_tolerance():
    after = report(
        0.80,
        0.78,
        0.82,
        answerability={"cross": {"separation": {"auroc": 0.9, "brier_skill": 0.8}}},
    )
    found = {one.measure: one for one in compare_reports(BEFORE, after, tolerance=0.01).differences}
    assert found["cross auroc"].regression is True
    assert found["cross brier_skill"].verdict == "same"
    found = {one.measure: one for one in compare_reports(BEFORE, after, tolerance=0.1).differences}
    assert found["cross auroc"].regression is False


def test_reports_on_other_questions_are_refused():
    with pytest.raises(InvalidArgumentError, match="different questions"):
        compare_reports(BEFORE, report(0.8, 0.7, 0.9, questions={"answerable": 5}), tolerance=0)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": "search_response.v1"}'])
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str):
    path = tmp_path / "a.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidArgumentError):
        read_report(path)
    path.write_text(json.dumps(BEFORE), "utf-8")
    assert read_report(path)["name"] == "shelf"


@pytest.mark.scenario("evaluation", "The profile is switched off")
def test_a_profile_switched_off_is_a_regression_and_what_only_one_measures_is_named():
    with_profile = {**BEFORE, "profile": "minilm-english"}
    without = report(0.80, 0.78, 0.82, answerability={}, profile=None)
    found = compare_reports(with_profile, without, tolerance=0.01)
    lost = next(one for one in found.differences if one.measure == CALIBRATED)
    assert (lost.before, lost.after, lost.verdict, lost.regression) == (1.0, 0.0, "worse", True)
    assert found.regression is True
    assert [(one.measure, one.only_in) for one in found.not_compared] == [
        ("cross auroc", "before"),
        ("cross brier_skill", "before"),
    ]
    back = compare_reports(without, with_profile, tolerance=0.01)
    assert back.regression is False
    assert {one.only_in for one in back.not_compared} == {"after"}
    assert compare_reports(BEFORE, BEFORE, tolerance=0).not_compared == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"retrieval": None}, {"retrieval": {"hybrid": {"nDCG@10": {"mean": 1}}}}, {"budgets": [1]},
        {"answerability": {"cross": {}}},
        {"retrieval": {"hybrid": {"nDCG@10": {"mean": None, "low": 0,
                                                                        "high": 1}}}},
    ],
)  # fmt: skip
def test_a_report_that_is_not_whole_is_refused(changes: dict[str, Any]):
    broken = {**BEFORE, **changes}
    for pair in ((BEFORE, broken), (broken, BEFORE)):
        with pytest.raises(InvalidArgumentError, match="report is not whole"):
            compare_reports(*pair, tolerance=0)
    with pytest.raises(InvalidArgumentError, match="not whole"):
        compare_reports({"schema_version": "eval_report.v1"}, BEFORE, tolerance=0)
