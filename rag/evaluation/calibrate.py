"""Fits an answerability profile and a fusion to one base, and says what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from rag.answerability import AnswerabilityModel, AnswerabilityProfile, FusionChoice, Signals
from rag.answerability.choose_profile import index_name
from rag.answerability.profile import signals_of
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidArgumentError
from rag.evaluation.cross_validation import AnswerabilityScore, score_pooled
from rag.evaluation.evaluate import fusion_in_force
from rag.evaluation.examples import Example, examples_of, with_removed
from rag.evaluation.fusion_search import (
    CANDIDATES,
    best_fusion,
    compare_fusions,
)
from rag.evaluation.model_fit import fit_answerability_model
from rag.evaluation.observe import Observer
from rag.evaluation.records import Construction, Observation, Question, QuestionSet
from rag.text import Analyzer
from rag.wire.evaluation_records import CalibrationReport, FusionComparison

LEAST_QUESTIONS = 60  # labelled ones: below, an interval says nothing
LEAST_ANSWERABLE = 30
FOLDS = 5
LEAST_SHARE = 0.1  # of the questions that must have these signals for a model of their own
SEED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A profile, what each of its models is worth on questions it was not fitted on, and the
    fusions it chose from (None where no two channels answered)."""

    profile: AnswerabilityProfile
    scores: dict[str, AnswerabilityScore]
    fusions: FusionComparison | None
    fusion_before: FusionChoice


def calibrate(
    base: KnowledgeBase,
    questions: QuestionSet,
    *,
    cross: Iterable[Question] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Calibration:
    """Return a profile for ``base`` alone, fitted to labelled questions; nothing is written.

    Every model is cross-validated by question; one without Brier skill is left out.

    Raises:
        InvalidArgumentError: there are too few questions, or no model has any skill.
    """
    _check_enough(questions)
    parts, settings = base.parts, base.settings
    asked = (*questions.questions, *cross)
    observer = Observer(parts.service, parts.store, Analyzer(settings.text.stemmer))
    observed = []
    for done, one in enumerate(observer.observe(asked), 1):
        observed.append(one)
        if progress is not None:
            progress("searching", done, len(asked))
    lost = [one for one in questions.questions if observer.missing(one)]
    if lost:
        raise InvalidArgumentError(
            f"{len(lost)} questions name documents that the base does not hold, such as "
            f"{observer.missing(lost[0])[0]!r}",
            given=lost[0].text,
            allowed="paths as rag list shows them",
        )
    models: dict[Signals, AnswerabilityModel] = {}
    scores: dict[str, AnswerabilityScore] = {}
    every = with_removed(observed)
    for signals in _signals_met(every):
        folds = _folds(every, signals)
        score = _cross_validated(folds, signals)
        scores[str(signals)] = score
        if score.separations["all"].brier_skill > 0:
            models[signals] = fit_answerability_model(
                [one for fold in folds for one in fold], signals
            )
    if not models:
        skill = max((one.separations["all"].brier_skill for one in scores.values()), default=0.0)
        raise InvalidArgumentError(
            "no profile was written: on questions left out of the fit its probabilities are no "
            f"better than saying 50 % every time (Brier skill {skill:.2f})",
            given=f"{len(questions.questions)} questions",
            allowed="a Brier skill above 0",
            hint="label more questions, and check that each names the documents that answer it",
        )
    compared = compare_fusions(observed, tuple(dict.fromkeys((fusion_in_force(base), *CANDIDATES))))
    manifest = parts.store.stats().manifest
    today = datetime.now(UTC).date().isoformat()
    profile = AnswerabilityProfile(
        name=f"{questions.name}-{today}",
        analyzer=manifest.analyzer,
        embedder=manifest.embedder,
        index=index_name(manifest),
        models=models,
        fusion=None if compared is None else best_fusion({questions.name: compared}),
        corpora=(questions.name,),
        date=today,
        measured=_measured(scores, models),
    )
    return Calibration(
        profile=profile, scores=scores, fusions=compared, fusion_before=fusion_in_force(base)
    )


def _measured(
    scores: Mapping[str, AnswerabilityScore], models: Mapping[Signals, AnswerabilityModel]
) -> dict[str, Any]:
    """Return the measures by signals, and once more by themselves those of the model that serves
    most questions, for a page to show."""
    served = max((scores[name] for name in models), key=lambda one: one.answered)
    return {**{name: one.as_record() for name, one in scores.items()}, **served.as_measured()}


def calibration_report(found: Calibration, written: Path) -> CalibrationReport:
    """Return a calibration as it goes on the wire."""
    profile = found.profile
    return CalibrationReport(
        written=str(written),
        profile=profile.name,
        models={str(name): found.scores[name].rounded() for name in profile.models},
        fusion=profile.fusion,
        fusion_before=found.fusion_before,
    )


def _check_enough(questions: QuestionSet) -> None:
    answerable = len(questions.of(Construction.ANSWERABLE))
    if len(questions.questions) < LEAST_QUESTIONS or answerable < LEAST_ANSWERABLE:
        raise InvalidArgumentError(
            f"{len(questions.questions)} questions, {answerable} of them answerable, are too few "
            "to calibrate on",
            given=len(questions.questions),
            allowed=f"at least {LEAST_QUESTIONS}, of which {LEAST_ANSWERABLE} are answerable",
            hint="draft more with: rag calibrate --suggest 60",
        )


def _signals_met(observed: Sequence[Observation]) -> tuple[Signals, ...]:
    """Return the signals that enough answerable and enough other questions have."""
    answerable = [
        signals_of(one.lists)
        for one in observed
        if one.question.construction is Construction.ANSWERABLE
    ]
    return tuple(
        signals
        for signals in Signals
        if answerable.count(signals) >= max(FOLDS, LEAST_SHARE * len(answerable))
    )


def _folds(observed: Sequence[Observation], signals: Signals) -> list[list[Example]]:
    """Return the examples in folds; a question and its removed twin share one."""
    names = list(dict.fromkeys(_origin(one) for one in observed))
    order = np.random.default_rng(SEED).permutation(len(names))
    fold_of = {names[at]: place % FOLDS for place, at in enumerate(order)}
    folds: list[list[Example]] = [[] for _ in range(FOLDS)]
    for one in observed:
        folds[fold_of[_origin(one)]] += examples_of("own", [one], signals)
    return folds


def _origin(one: Observation) -> str:
    kind = one.question.construction
    own = kind in (Construction.ANSWERABLE, Construction.REMOVED)
    return f"{'own' if own else kind}:{one.question.question_id}"


def _cross_validated(folds: Sequence[Sequence[Example]], signals: Signals) -> AnswerabilityScore:
    pairs = []
    for at, held_out in enumerate(folds):
        rest = [one for place, fold in enumerate(folds) if place != at for one in fold]
        pairs.append((fit_answerability_model(rest, signals), held_out))
    return score_pooled(pairs)
