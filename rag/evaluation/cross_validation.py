"""What an answerability model is worth on questions it was not fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.answerability import AnswerabilityModel, Signals
from rag.answerability.estimator import LIKELY_TOPIC
from rag.evaluation.answerability_measures import reliability, separation
from rag.evaluation.examples import Example
from rag.evaluation.model_fit import fit_answerability_model
from rag.evaluation.records import Construction
from rag.wire.evaluation_records import ModelScore, Separation

SUMMARISED = ("auroc", "brier_skill", "ece")  # what a profile tells of itself
_LEVELS = ("none", "low", "medium", "high")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityScore:
    """A model's worth on one collection.

    ``separations`` by construction: ``cross`` is measured on the probability of being on topic,
    ``removed`` and ``given`` on that of being answered once on topic, and ``all`` on the
    probability itself, over every unanswered construction, each weighing the same.
    ``levels`` is the share of questions of each construction at each level, ``reliability`` the
    bins of each separation but ``all``: [mean probability, share answered, weight], as numbers
    in JSON are.
    """

    separations: Mapping[str, Separation]
    levels: Mapping[str, Mapping[str, float]]
    reliability: Mapping[str, list[list[float]]]

    def rounded(self) -> ModelScore:
        """Return the measures as they go on the wire, rounded to four places."""
        return ModelScore(
            separations={
                name: replace(
                    one,
                    auroc=round(one.auroc, 4),
                    brier_skill=round(one.brier_skill, 4),
                    ece=round(one.ece, 4),
                )
                for name, one in self.separations.items()
            },
            levels={
                name: {level: round(share, 4) for level, share in shares.items()}
                for name, shares in self.levels.items()
            },
        )

    def as_record(self) -> dict[str, Any]:
        """Return the same as plain numbers."""
        return asdict(self.rounded())

    @property
    def answered(self) -> int:
        """The number of answerable questions that it was measured on."""
        return max((one.answered for one in self.separations.values()), default=0)

    def as_measured(self) -> dict[str, Any]:
        """Return the separations as :attr:`AnswerabilityProfile.measured` has them, ``cross_auroc``
        and so on, and the bins of a reliability diagram."""
        separations = self.as_record()["separations"]
        return {
            **{
                f"{kind}_{measure}": own[measure]
                for kind, own in separations.items()
                for measure in SUMMARISED
            },
            "reliability": self.reliability,
        }


def left_out_models(examples: Sequence[Example], signals: Signals) -> dict[str, AnswerabilityModel]:
    """Return, for each collection, the model fitted on all the others.

    Collections that share a name up to ``/`` are parts of one and are left out together.
    """
    models = {}
    for collection in dict.fromkeys(one.collection for one in examples):
        origin = collection.partition("/")[0]
        rest = [one for one in examples if one.collection.partition("/")[0] != origin]
        models[collection] = fit_answerability_model(rest, signals)
    return models


def score_model(model: AnswerabilityModel, examples: Sequence[Example]) -> AnswerabilityScore:
    """Return what the model is worth on those of the examples that it serves.

    They must hold answerable questions.
    """
    return score_pooled([(model, examples)])


def score_pooled(
    judged: Sequence[tuple[AnswerabilityModel, Sequence[Example]]],
) -> AnswerabilityScore:
    """Return what several models are worth together, each on its own examples, as folds are."""
    judged = [(model, [one for one in examples if one.serves]) for model, examples in judged]
    met = {one.construction for _, examples in judged for one in examples}
    kinds = [kind for kind in Construction if kind in met]
    on_topic, answered, levels = {}, {}, {}
    for kind in kinds:
        parts = []
        for model, examples in judged:
            own = [one.features for one in examples if one.construction is kind]
            topic = np.array([model.topic.probability(one) for one in own])
            answer = np.array([model.answer.probability(one) for one in own])
            parts.append((topic, answer, _level_names(model, topic, topic * answer)))
        on_topic[kind], answered[kind], names = (
            np.concatenate(columns) for columns in zip(*parts, strict=True)
        )
        levels[str(kind)] = {name: float(np.mean(names == name)) for name in _LEVELS}
    good = Construction.ANSWERABLE
    pairs = {
        str(kind): tuple(
            (on_topic if kind is Construction.CROSS else answered)[one] for one in (good, kind)
        )
        for kind in kinds
        if kind is not good
    }
    separations = {kind: separation(*pair) for kind, pair in pairs.items()}
    unanswered = [on_topic[kind] * answered[kind] for kind in kinds if kind is not good]
    if unanswered:
        largest = max(map(len, unanswered))
        alike = np.concatenate([np.resize(values, largest) for values in unanswered])
        separations["all"] = separation(on_topic[good] * answered[good], alike)
    return AnswerabilityScore(
        separations=separations,
        levels=levels,
        reliability={
            kind: [[round(value, 4) for value in one] for one in reliability(*pair)]
            for kind, pair in pairs.items()
        },
    )


def _level_names(
    model: AnswerabilityModel, on_topic: NDArray[np.float64], probability: NDArray[np.float64]
) -> NDArray[np.str_]:
    """Return each question's level, as the gate cuts it."""
    low = (on_topic < LIKELY_TOPIC) | (probability < model.medium)
    return np.select(
        [on_topic < model.none, low, probability < model.high],
        ["none", "low", "medium"],
        default="high",
    )
