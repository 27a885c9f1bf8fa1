"""Measures that can be checked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rag.answerability import FusionChoice, Signals
from rag.errors import InvalidArgumentError
from rag.evaluation.answerability_measures import auroc, reliability, risk_coverage, separation
from rag.evaluation.cross_validation import score_model
from rag.evaluation.examples import Example, examples_of, with_removed
from rag.evaluation.fusion_search import (
    HARM_TOLERATED,
    STANDARD,
    best_fusion,
    compare_fusions,
    make_fusion,
)
from rag.evaluation.logistic_fit import fit_logistic
from rag.evaluation.model_fit import fit_answerability_model
from rag.evaluation.ranking_measures import MEASURES, NDCG, estimate, per_question
from rag.evaluation.records import Construction
from rag.ranking import MinMaxFusion, ReciprocalRankFusion
from tests.evaluation.observed import observation


@pytest.mark.scenario("evaluation", "A perfect ranking")
def test_a_perfect_ranking_measures_1_with_an_interval_of_no_width():
    observed = [observation(name, ("a", "b"), None, "a") for name in ("1", "2")]
    values = per_question(observed, {"1": ["a", "b"], "2": ["a", "b"]}, MEASURES.values())
    for name in ("nDCG@10", "MRR@10"):
        found = estimate(values[str(MEASURES[name])])
        assert (found.mean, found.low, found.high) == (1.0, 1.0, 1.0)


def test_ndcg_of_a_second_place_is_its_discount():
    observed = [observation("1", ("b", "a"), None, "a"), observation("2", ("b",), None, "a")]
    values = per_question(observed, {"1": ["b", "a"], "2": ["b"]}, [NDCG])[str(NDCG)]
    assert values.tolist() == pytest.approx([1 / np.log2(2 + 1), 0.0])


def test_intervals_are_the_same_on_every_run():
    values = np.linspace(0, 1, 40)
    assert estimate(values) == estimate(values)
    assert estimate(values).low < 0.5 < estimate(values).high


@pytest.mark.scenario("evaluation", "Known probabilities")
def test_separation_is_its_formulas():
    answered, unanswered = np.array([0.9, 0.7]), np.array([0.1, 0.7])
    found = separation(answered, unanswered)
    assert found.auroc == (1 + 1 + 1 + 0.5) / 4
    assert found.brier_skill == pytest.approx(1 - (0.01 + 0.09 + 0.01 + 0.49) / 4 / 0.25)
    # bins at 0.1, 0.7 and 0.9, of weights 1/4, 2/4 and 1/4
    assert found.ece == pytest.approx(0.1 / 4 + abs(0.7 - 0.5) / 2 + 0.1 / 4)
    table = np.array(reliability(answered, unanswered))
    assert table == pytest.approx(np.array([(0.1, 0, 0.25), (0.7, 0.5, 0.5), (0.9, 1, 0.25)]))


def test_a_larger_side_weighs_no_more():
    once = separation(np.array([0.8]), np.array([0.4]))
    often = separation(np.array([0.8]), np.array([0.4] * 50))
    assert (once.brier_skill, once.ece) == pytest.approx((often.brier_skill, often.ece))


def test_auroc_is_one_half_where_nothing_is_told_apart():
    assert auroc(np.array([0.5, 0.5]), np.array([0.5])) == 0.5
    assert auroc(np.array([1.0]), np.array([0.0])) == 1.0


def test_risk_falls_with_coverage_where_probabilities_are_right():
    curve = risk_coverage(np.linspace(0.6, 1, 50), np.linspace(0, 0.4, 50))
    assert curve[0][1] == 0.0
    assert curve[-1] == pytest.approx((1.0, 0.5))


def test_a_logistic_fit_finds_the_slope_that_made_the_labels():
    rng = np.random.default_rng(1)
    x = rng.normal(size=4_000)
    labels = rng.random(4_000) < 1 / (1 + np.exp(-(2 * x + 0.5)))
    model = fit_logistic(
        [{"x": float(one)} for one in x], labels.tolist(), [1.0] * 4_000, features=["x"], l2=0.0
    )
    slope = model.coefficients[0] / model.scales[0]
    assert slope == pytest.approx(2, abs=0.2)
    assert model.intercept - slope * model.means[0] == pytest.approx(0.5, abs=0.15)


def test_an_observation_serves_every_kind_of_signals_that_it_holds():
    both = observation("1", ("a", "b"), ("b",), "a")
    for signals in Signals:
        (example,) = examples_of("c", [both], signals)
        assert ("best_cosine" in example.features) == ("vectors" in signals)
        assert ("coverage" in example.features) == ("words" in signals or signals == "bigrams")
        assert example.serves == (signals != "bigrams")  # it has none, and lends what it shows
    assert examples_of("c", [observation("1", ("a",), None, "a")], Signals.VECTORS) == []


def test_a_removed_twin_is_made_of_answerable_questions_alone():
    own = observation("1", ("a", "b"), None, "a")
    cross = observation("2", ("b",), None, kind=Construction.CROSS)
    kinds = [one.question.construction for one in with_removed([own, cross])]
    assert kinds == ["answerable", "removed", "cross"]


def synthetic(count: int = 60) -> list[Example]:
    """Answerable questions with high features, cross ones with low, removed ones between."""
    rng = np.random.default_rng(4)
    means = {"answerable": 2.0, "removed": 0.5, "cross": -2.0}
    return [
        Example(
            collection=f"c{at % 2}",
            construction=Construction(kind),
            features={
                name: float(rng.normal(mean, 0.7))
                for name in ("evidence", "excess", "known_missed", "coverage", "coverage_lead")
            },
        )
        for kind, mean in means.items()
        for at in range(count)
    ]


def test_a_fitted_model_keeps_its_cuts():
    examples = synthetic()
    model = fit_answerability_model(examples, Signals.WORDS)
    score = score_model(model, examples)
    assert score.levels["answerable"]["none"] <= 0.02 + 1 / 60
    assert score.levels["cross"]["none"] > 0.9
    assert score.separations["cross"].auroc > 0.99
    assert 0 < model.none < 1
    assert model.medium <= model.high


def test_no_collection_has_more_than_its_share_called_none():
    hard = [
        replace(
            one, collection="hard", features={**one.features, "excess": one.features["excess"] - 1}
        )
        for one in synthetic()
    ]
    examples = [*synthetic(), *hard]
    model = fit_answerability_model(examples, Signals.WORDS)
    for collection in ("c0", "c1", "hard"):
        own = [one for one in examples if one.collection == collection]
        answerable = sum(one.construction == "answerable" for one in own)
        assert score_model(model, own).levels["answerable"]["none"] <= 0.025 + 1 / answerable


def test_examples_that_a_model_does_not_serve_move_no_cut_for_none_and_are_not_measured():
    own = synthetic()
    lent = [
        replace(one, collection="lent", serves=False, features=dict.fromkeys(one.features, -9.0))
        for one in own
    ]
    model = fit_answerability_model([*own, *lent], Signals.WORDS)
    assert score_model(model, [*own, *lent]) == score_model(model, own)
    assert score_model(model, own).levels["answerable"]["none"] <= 0.025 + 1 / 30


def test_fitting_without_unanswered_questions_is_refused():
    with pytest.raises(ValueError, match="answerable and unanswered"):
        fit_answerability_model(
            [one for one in synthetic() if one.construction == "answerable"], Signals.WORDS
        )


@pytest.mark.scenario("evaluation", "A useless vector channel")
def test_harm_by_fusion_is_measured_and_a_fusion_without_it_is_advised():
    noise = tuple(f"n{at}" for at in range(8))
    observed = [
        observation(str(at), (f"r{at}", *noise), (*noise, f"r{at}"), f"r{at}") for at in range(6)
    ]
    compared = compare_fusions(observed)
    assert compared is not None
    assert compared.lexical.mean == 1.0
    assert compared.of(STANDARD).harm > 0.1
    advised = best_fusion({"one": compared})
    assert compared.of(advised).harm <= HARM_TOLERATED
    assert compared.of(advised).ndcg.mean == 1.0


def test_where_one_channel_answers_there_is_nothing_to_fuse():
    assert compare_fusions([observation("1", ("a",), None, "a")]) is None
    with pytest.raises(InvalidArgumentError, match="nothing can be fused"):
        best_fusion({})


def test_a_choice_makes_its_policy():
    rrf = make_fusion(FusionChoice(kind="rrf", k=5, lexical_weight=1.0, vector_weight=0.7))
    assert isinstance(rrf, ReciprocalRankFusion)
    assert (rrf.k, rrf.weights["vector"]) == (5, 0.7)
    minmax = make_fusion(FusionChoice(kind="minmax", k=60, lexical_weight=0.6, vector_weight=0.4))
    assert isinstance(minmax, MinMaxFusion)
