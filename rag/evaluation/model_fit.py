"""Learns an answerability model from examples of several collections, and where to cut levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from rag.answerability import AnswerabilityModel, Signals
from rag.answerability.logistic_model import LogisticModel
from rag.evaluation.examples import Example
from rag.evaluation.logistic_fit import fit_logistic
from rag.evaluation.records import Construction

# Chosen by forward selection on the log loss over collections that were left out: features that
# mean the same in every collection win over features that fit one.
TOPIC_FEATURES = {
    Signals.WORDS_AND_VECTORS: ("best_cosine", "coverage_lead", "agreement"),
    Signals.WORDS: ("excess", "coverage"),
    Signals.BIGRAMS: ("excess", "whole", "bigrams"),
    Signals.SCORES_AND_VECTORS: ("best_cosine", "score_lead", "agreement"),
    Signals.SCORES: ("score_log", "query_words"),
    Signals.VECTORS: ("best_cosine", "cosine_margin"),
}
ANSWER_FEATURES = {
    Signals.WORDS_AND_VECTORS: (
        "known_missed", "evidence", "agreement", "unknown_share", "coverage_lead",
    ),
    Signals.WORDS: ("known_missed", "evidence", "coverage_lead"),
    Signals.BIGRAMS: ("evidence", "known_mass"),
    Signals.SCORES_AND_VECTORS: ("score_per_word", "agreement", "overlap"),
    Signals.SCORES: ("score_per_word", "score_lead", "score_log"),
    Signals.VECTORS: ("best_cosine", "cosine_margin"),
}  # fmt: skip

TOPIC_L2 = 1e-3
ANSWER_L2 = 2e-2  # what is missing looks different in every collection: trust the slopes less
NONE_SHARE = 0.025  # of answerable questions are called none where most are; elsewhere fewer
HIGH_PRECISION = 0.9  # of questions called high are answered, where half of all are
MEDIUM_PRECISION = 0.75  # of questions called medium or high, likewise

_OFF_TOPIC = frozenset({Construction.CROSS})
_UNANSWERED = frozenset({Construction.REMOVED, Construction.GIVEN})


def fit_answerability_model(examples: Sequence[Example], signals: Signals) -> AnswerabilityModel:
    """Return the model and its cut-points; every collection weighs the same.

    The cut for none is that of the examples that it serves, or of all where it serves none.

    The topic head learns answerable against cross questions, the answer head answerable against
    removed and given ones. Where one kind is missing, the other stands in for it.

    Raises:
        ValueError: there are no answerable or no unanswered questions.
    """
    kinds = {one.construction for one in examples}
    if Construction.ANSWERABLE not in kinds or len(kinds) < 2:
        raise ValueError("fitting needs answerable and unanswered questions")
    others = kinds - {Construction.ANSWERABLE}
    topic = _head(examples, kinds & _OFF_TOPIC or others, TOPIC_FEATURES[signals], TOPIC_L2)
    answer = _head(examples, kinds & _UNANSWERED or others, ANSWER_FEATURES[signals], ANSWER_L2)
    on_topic = np.array([topic.probability(one.features) for one in examples])
    answered = on_topic * np.array([answer.probability(one.features) for one in examples])
    good = np.array([one.construction is Construction.ANSWERABLE for one in examples])
    weights = _weights(examples)
    return AnswerabilityModel(
        topic=topic,
        answer=answer,
        none=round(_none_cut(on_topic, examples), 4),
        medium=round(_precise_from(answered, good, weights, MEDIUM_PRECISION), 4),
        high=round(_precise_from(answered, good, weights, HIGH_PRECISION), 4),
    )


def _head(
    examples: Sequence[Example],
    negatives: Collection[Construction],
    features: Sequence[str],
    l2: float,
) -> LogisticModel:
    wanted = {Construction.ANSWERABLE, *negatives}
    chosen = [one for one in examples if one.construction in wanted]
    return fit_logistic(
        [one.features for one in chosen],
        [one.construction is Construction.ANSWERABLE for one in chosen],
        _weights(chosen).tolist(),
        features=features,
        l2=l2,
    )


def _weights(examples: Sequence[Example]) -> NDArray[np.float64]:
    """Weigh collections alike, and in each the answerable as much as all others together."""
    counts = Counter((one.collection, one.construction) for one in examples)
    sides = Counter(
        collection for collection, kind in counts if kind is not Construction.ANSWERABLE
    )
    return np.array(
        [
            1
            / counts[one.collection, one.construction]
            / (1 if one.construction is Construction.ANSWERABLE else sides[one.collection])
            for one in examples
        ]
    )


def _none_cut(on_topic: NDArray[np.float64], examples: Sequence[Example]) -> float:
    """Return the least, over collections, of the quantile of their answerable questions."""
    by_collection: dict[str, list[float]] = {}
    serves_any = any(one.serves for one in examples)
    for value, one in zip(on_topic.tolist(), examples, strict=True):
        if one.construction is Construction.ANSWERABLE and one.serves is serves_any:
            by_collection.setdefault(one.collection, []).append(value)
    return min(float(np.quantile(own, NONE_SHARE)) for own in by_collection.values())


def _precise_from(
    values: NDArray[np.float64],
    good: NDArray[np.bool_],
    weights: NDArray[np.float64],
    precision: float,
) -> float:
    """Return the least value from which on, all values together, this share is good; else 1.0."""
    order = np.argsort(-values)
    right = np.cumsum((weights * good)[order]) / np.cumsum(weights[order])
    reached = np.flatnonzero(right >= precision)
    return float(values[order][reached[-1]]) if len(reached) else 1.0
