"""What a trust model is worth on questions it was not fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rag.evaluation.examples import Example
from rag.evaluation.model_fit import fit_trust_model
from rag.evaluation.records import Construction
from rag.evaluation.trust_measures import Separation, separation
from rag.trust import Signals, TrustModel


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustScore:
    """A model's worth on one collection.

    ``separations`` by construction: ``cross`` is measured on the probability of being on topic,
    ``removed`` and ``given`` on that of being answered once on topic, and ``all`` on the
    probability itself, over every unanswered construction, each weighing the same.
    ``levels`` is the share of questions of each construction at each level.
    """

    separations: Mapping[str, Separation]
    levels: Mapping[str, Mapping[str, float]]

    def as_record(self) -> dict[str, Any]:
        """Return the measures as plain numbers, rounded to four places."""
        return {
            "separations": {
                name: {
                    key: round(value, 4) if isinstance(value, float) else value
                    for key, value in asdict(one).items()
                }
                for name, one in self.separations.items()
            },
            "levels": {
                name: {level: round(share, 4) for level, share in shares.items()}
                for name, shares in self.levels.items()
            },
        }


def left_out_models(examples: Sequence[Example], signals: Signals) -> dict[str, TrustModel]:
    """Return, for each collection, the model fitted on all the others.

    Collections that share a name up to ``/`` are parts of one and are left out together.
    """
    models = {}
    for collection in dict.fromkeys(one.collection for one in examples):
        origin = collection.partition("/")[0]
        rest = [one for one in examples if one.collection.partition("/")[0] != origin]
        models[collection] = fit_trust_model(rest, signals)
    return models


def score_model(model: TrustModel, examples: Sequence[Example]) -> TrustScore:
    """Return what the model is worth on the examples, which must hold answerable questions."""
    kinds = dict.fromkeys(one.construction for one in examples)
    on_topic, answered, level = {}, {}, {}
    for kind in kinds:
        own = [one.features for one in examples if one.construction is kind]
        on_topic[kind] = np.array([model.topic.probability(one) for one in own])
        answered[kind] = np.array([model.answer.probability(one) for one in own])
        level[kind] = _levels(model, on_topic[kind], answered[kind])
    good = Construction.ANSWERABLE
    separations = {
        str(kind): separation(
            *((on_topic if kind is Construction.CROSS else answered)[one] for one in (good, kind))
        )
        for kind in kinds
        if kind is not good
    }
    unanswered = [on_topic[kind] * answered[kind] for kind in kinds if kind is not good]
    if unanswered:
        largest = max(map(len, unanswered))
        alike = np.concatenate([np.resize(values, largest) for values in unanswered])
        separations["all"] = separation(on_topic[good] * answered[good], alike)
    return TrustScore(separations=separations, levels={str(k): v for k, v in level.items()})


def _levels(model: TrustModel, on_topic: Any, answered: Any) -> dict[str, float]:
    probability = on_topic * answered
    none = on_topic < model.none
    high = ~none & (probability >= model.high)
    medium = ~none & ~high & (probability >= model.medium)
    low = ~(none | high | medium)
    return {
        name: float(np.mean(which))
        for name, which in (("none", none), ("low", low), ("medium", medium), ("high", high))
    }
