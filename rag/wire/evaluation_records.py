"""What an evaluation, a comparison of two, and a calibration found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rag.answerability import FusionChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over questions with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """Probabilities of answered questions against those of unanswered ones, weighted equally.

    ``auroc``: chance that an answered question has the higher one, ties half.
    ``brier_skill``: 1 − mean squared error / that of saying 0.5 always; above 0 is worth having.
    ``ece``: expected calibration error, ten equal bins.
    """

    answered: int
    unanswered: int
    auroc: float
    brier_skill: float
    ece: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionScore:
    """A fusion's mean nDCG@10, and by how much it is below the better channel (below 0: above)."""

    choice: FusionChoice
    ndcg: Estimate
    harm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionComparison:
    """The channels alone and every candidate fusion, on the answerable questions of one base.

    ``questions`` counts those that both channels answered; on others there is nothing to fuse.
    """

    questions: int
    lexical: Estimate
    vector: Estimate
    fusions: tuple[FusionScore, ...]

    def of(self, choice: FusionChoice) -> FusionScore:
        """Return the score of one candidate."""
        return next(one for one in self.fusions if one.choice == choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds: of a whole look-up at the median and the 95th percentile; of embedding."""

    lookup_p50: float
    lookup_p95: float
    embed_p50: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """Shares of the questions of one construction: by relevance level, and advised to retry."""

    questions: int
    levels: Mapping[str, float]
    retry: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityCurve:
    """One construction against the answerable questions.

    ``cross`` is measured on the probability of being on topic, the others on that of an answer.
    ``reliability`` holds (mean probability, share answered, weight); ``risk_coverage`` (share of
    questions accepted, share of the accepted that are unanswered).
    """

    separation: Separation
    reliability: tuple[tuple[float, float, float], ...]
    risk_coverage: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPoint:
    """At a token budget: the share of questions whose evidence holds an answer, and tokens used."""

    budget: int
    retained: Estimate
    tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOutcome:
    """One answerable question: nDCG@10 by mode, probability, what was right, what came first."""

    question_id: str
    text: str
    ndcg: Mapping[str, float]
    probability: float | None
    relevant: tuple[str, ...]
    hits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalReport:
    """An evaluation (``eval_report.v1``).

    ``retrieval`` holds, by mode and measure, means with 95 % bootstrap intervals: ``lexical``
    and ``vector`` alone, ``hybrid`` with the fusion in force. ``harm`` is how much nDCG@10
    hybrid is below its better channel on the questions that both answer (below 0: above).
    """

    schema_version: Literal["eval_report.v1"] = "eval_report.v1"
    name: str
    date: str
    rag_version: str
    store: str
    analyzer: str
    embedder: str
    profile: str | None
    documents: int
    chunks: int
    questions: Mapping[str, int]
    retrieval: Mapping[str, Mapping[str, Estimate]]
    latency: Latency
    verdicts: Mapping[str, Verdicts]
    answerability: Mapping[str, AnswerabilityCurve]
    fusion_in_force: FusionChoice
    fusion_advised: FusionChoice | None
    harm: float | None
    fusions: FusionComparison | None
    budgets: tuple[BudgetPoint, ...] = ()
    outcomes: tuple[QuestionOutcome, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measure in two reports; for all of them higher is better.

    ``verdict`` is ``same`` while the second mean lies in the first's interval or the first in
    the second's, or where a measure without interval moved by no more than the tolerance.
    ``regression``: worse, and by more than the tolerance.
    """

    measure: str
    before: float
    after: float
    verdict: Literal["better", "worse", "same"]
    regression: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LoneMeasure:
    """A measure that one of two reports has, and which."""

    measure: str
    only_in: Literal["before", "after"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalComparison:
    """Two evaluations of the same questions, measure by measure (``eval_comparison.v1``).

    ``regression`` says that at least one measure fell by more than the ``tolerance``; the
    answerability profile counts as one, ``calibrated verdicts``, where one of the two reports has
    none. ``not_compared`` lists what only one report measures.
    """

    schema_version: Literal["eval_comparison.v1"] = "eval_comparison.v1"
    tolerance: float
    regression: bool
    differences: tuple[Difference, ...]
    not_compared: tuple[LoneMeasure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScore:
    """An answerability model on questions it was not fitted on, rounded to four places.

    ``separations`` by construction of the unanswered questions, and over ``all`` of them;
    ``levels`` is the share of questions of each construction at each level.
    """

    separations: Mapping[str, Separation]
    levels: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport:
    """What a calibration wrote and what it is worth (``calibration.v1``).

    ``written`` is the profile's file; ``models`` are those it holds, by the signals they read;
    ``fusion`` is the one it chose, null where no question was answered by both channels.
    """

    schema_version: Literal["calibration.v1"] = "calibration.v1"
    written: str
    profile: str
    models: Mapping[str, ModelScore]
    fusion: FusionChoice | None
    fusion_before: FusionChoice
