"""Measures a base on labelled questions: retrieval, verdicts, answerability, fusion, budgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from rag import __version__
from rag.answerability import AnswerabilityEstimator, FusionChoice
from rag.base.knowledge_base import KnowledgeBase
from rag.evaluation.answerability_measures import reliability, risk_coverage, separation
from rag.evaluation.examples import with_removed
from rag.evaluation.fusion_search import (
    CANDIDATES,
    best_fusion,
    channel_documents,
    compare_fusions,
    fused_documents,
    make_fusion,
)
from rag.evaluation.observe import Observer
from rag.evaluation.ranking_measures import MEASURES, NDCG, estimate, per_question
from rag.evaluation.records import Construction, Observation, Question, QuestionSet
from rag.evidence.answerability_verdict import level_of
from rag.evidence.records import RagToolResult, RelevanceLevel
from rag.ranking import Channel
from rag.text import Analyzer
from rag.wire.evaluation_records import (
    AnswerabilityCurve,
    BudgetPoint,
    EvalReport,
    Latency,
    QuestionOutcome,
    Verdicts,
)

Progress = Callable[[str, int, int], None]

MOST_BUDGETED = 200  # questions packed at every budget; a curve needs no more
FIRST_HITS = 5  # shown of each question
_LEVELS = tuple(map(str, RelevanceLevel))


def evaluate(
    base: KnowledgeBase,
    questions: QuestionSet,
    *,
    cross: Iterable[Question] = (),
    budgets: Sequence[int] = (),
    progress: Progress | None = None,
) -> EvalReport:
    """Ask the base every question, and return what it found and how it judged itself.

    ``removed`` questions are made from the answerable ones. The base is not changed.
    """
    asked = (*questions.questions, *cross)
    tell = progress or _silent
    parts = base.parts
    analyzer = Analyzer(base.settings.text.stemmer)
    observer = Observer(parts.service, parts.store, analyzer)
    warnings = _missing(observer, questions)
    observed = list(observer.observe(asked, lambda done: tell("searching", done, len(asked))))
    results = []
    for done, question in enumerate(asked, 1):
        results.append(base.lookup(question.text))
        tell("looking up", done, len(asked))
    answerable = [one for one in observed if one.question.construction is Construction.ANSWERABLE]
    every = with_removed(observed)
    in_force = fusion_in_force(base)
    compared = compare_fusions(observed, tuple(dict.fromkeys((in_force, *CANDIDATES))))
    runs = _runs(answerable, in_force)
    ndcg = {mode: per_question(answerable, run, [NDCG])[str(NDCG)] for mode, run in runs.items()}
    probabilities = _probabilities(parts.answerability, every)
    stats = parts.store.stats()
    return EvalReport(
        name=questions.name,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        rag_version=__version__,
        store=stats.backend,
        analyzer=stats.manifest.analyzer,
        embedder=str(stats.manifest.embedder or "none"),
        profile=parts.answerability.profile.name if parts.answerability is not None else None,
        documents=stats.documents,
        chunks=stats.chunks,
        questions={
            str(kind): sum(one.question.construction is kind for one in every)
            for kind in Construction
        },
        retrieval={
            mode: {
                name: estimate(per_question(answerable, run, [measure])[str(measure)])
                for name, measure in MEASURES.items()
            }
            for mode, run in runs.items()
        },
        latency=_latency(observed, results),
        verdicts=_verdicts(parts.answerability, asked, results, every),
        answerability=_curves(every, probabilities),
        fusion_in_force=in_force,
        fusion_advised=None if compared is None else best_fusion({questions.name: compared}),
        harm=None if compared is None else compared.of(in_force).harm,
        fusions=compared,
        budgets=_budget_curve(base, answerable, budgets, tell),
        outcomes=_outcomes(answerable, runs, ndcg, probabilities),
        warnings=warnings,
    )


def fusion_in_force(base: KnowledgeBase) -> FusionChoice:
    """Return the fusion that a base's hybrid mode uses."""
    search = base.settings.search
    return FusionChoice(
        kind=search.fusion,
        k=search.rrf_k,
        lexical_weight=base.parts.weights[Channel.LEXICAL],
        vector_weight=base.parts.weights[Channel.VECTOR],
    )


def _runs(
    answerable: Sequence[Observation], in_force: FusionChoice
) -> dict[str, dict[str, list[str]]]:
    """Return the ranked documents by mode; a channel that answered no question has no mode."""
    fusion = make_fusion(in_force)
    runs = {
        str(channel): {
            one.question.question_id: channel_documents(one, channel) for one in answerable
        }
        for channel in Channel
    }
    runs = {mode: run for mode, run in runs.items() if any(run.values())}
    runs["hybrid"] = {one.question.question_id: fused_documents(one, fusion) for one in answerable}
    return runs


def _probabilities(
    answerability: AnswerabilityEstimator | None, every: Sequence[Observation]
) -> dict[tuple[Construction, str], tuple[float, float]]:
    """Return (probability, on topic) by construction and question, as far as a model serves."""
    found: dict[tuple[Construction, str], tuple[float, float]] = {}
    for one in every if answerability is not None else ():
        assert answerability is not None  # the loop has said so
        signal = answerability.judge(one.lists)
        if signal is not None:
            key = (one.question.construction, one.question.question_id)
            found[key] = (signal.probability, signal.on_topic)
    return found


def _curves(
    every: Sequence[Observation],
    probabilities: Mapping[tuple[Construction, str], tuple[float, float]],
) -> dict[str, AnswerabilityCurve]:
    by_kind: dict[Construction, list[tuple[float, float]]] = {}
    for one in every:
        key = (one.question.construction, one.question.question_id)
        if key in probabilities:
            by_kind.setdefault(one.question.construction, []).append(probabilities[key])
    good = by_kind.pop(Construction.ANSWERABLE, [])
    curves = {}
    for kind, own in by_kind.items() if good else ():
        column = 1 if kind is Construction.CROSS else 0
        answered = np.array([one[column] for one in good])
        unanswered = np.array([one[column] for one in own])
        curves[str(kind)] = AnswerabilityCurve(
            separation=separation(answered, unanswered),
            reliability=tuple(reliability(answered, unanswered)),
            risk_coverage=tuple(risk_coverage(answered, unanswered)),
        )
    return curves


def _verdicts(
    answerability: AnswerabilityEstimator | None,
    asked: Sequence[Question],
    results: Sequence[RagToolResult],
    every: Sequence[Observation],
) -> dict[str, Verdicts]:
    verdicts = {}
    for kind in Construction:
        own = [
            result
            for question, result in zip(asked, results, strict=True)
            if question.construction is kind
        ]
        if own:
            levels = [str(result.relevance_level) for result in own]
            retry = round(sum(result.retry.should_retry for result in own) / len(own), 4)
            verdicts[str(kind)] = _shares(levels, retry)
    signals = [
        answerability.judge(one.lists)
        for one in every
        if answerability is not None and one.question.construction is Construction.REMOVED
    ]
    removed = [str(level_of(signal)) for signal in signals if signal is not None]
    if removed:
        verdicts[str(Construction.REMOVED)] = _shares(removed, None)
    return verdicts


def _shares(levels: Sequence[str], retry: float | None) -> Verdicts:
    shares = {level: round(levels.count(level) / len(levels), 4) for level in _LEVELS}
    return Verdicts(questions=len(levels), levels=shares, retry=retry)


def _latency(observed: Sequence[Observation], results: Sequence[RagToolResult]) -> Latency:
    lookups = np.array([result.took_ms for result in results])
    embeds = np.array([one.embed_ms for one in observed])
    return Latency(
        lookup_p50=round(float(np.median(lookups)), 2),
        lookup_p95=round(float(np.quantile(lookups, 0.95)), 2),
        embed_p50=round(float(np.median(embeds)), 2),
    )


def _budget_curve(
    base: KnowledgeBase,
    answerable: Sequence[Observation],
    budgets: Sequence[int],
    tell: Progress,
) -> tuple[BudgetPoint, ...]:
    chosen = answerable[:MOST_BUDGETED]
    curve = []
    for budget in budgets:
        kept, tokens = [], []
        for done, one in enumerate(chosen, 1):
            result = base.lookup(one.question.text, budget_tokens=budget)
            packed = {piece.citation.chunk_id for piece in result.evidence}
            kept.append(float(not packed.isdisjoint(one.relevant_chunks)))
            tokens.append(result.budget.used)
            tell(f"packing into {budget}", done, len(chosen))
        curve.append(
            BudgetPoint(
                budget=budget,
                retained=estimate(np.array(kept)),
                tokens=round(float(np.mean(tokens)), 1),
            )
        )
    return tuple(curve)


def _outcomes(
    answerable: Sequence[Observation],
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    ndcg: Mapping[str, NDArray[np.float64]],
    probabilities: Mapping[tuple[Construction, str], tuple[float, float]],
) -> tuple[QuestionOutcome, ...]:
    outcomes = []
    for at, one in enumerate(answerable):
        question = one.question
        found = probabilities.get((question.construction, question.question_id))
        outcomes.append(
            QuestionOutcome(
                question_id=question.question_id,
                text=question.text,
                ndcg={mode: round(float(values[at]), 4) for mode, values in ndcg.items()},
                probability=None if found is None else round(found[0], 4),
                relevant=tuple(question.relevant),
                hits=tuple(runs["hybrid"][question.question_id][:FIRST_HITS]),
            )
        )
    return tuple(outcomes)


def _missing(observer: Observer, questions: QuestionSet) -> tuple[str, ...]:
    missing = {path for one in questions.questions for path in observer.missing(one)}
    if not missing:
        return ()
    shown = ", ".join(sorted(missing)[:3]) + (", …" if len(missing) > 3 else "")
    return (f"{len(missing)} relevant documents are not in the base: {shown}",)


def _silent(step: str, done: int, total: int) -> None:
    """Hear nothing."""
