"""How well rankings find the relevant documents: nDCG, recall and MRR, by ir-measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import ir_measures
import numpy as np
from ir_measures import RR, Measure, R, nDCG
from numpy.typing import NDArray

from rag.evaluation.records import Observation
from rag.wire.evaluation_records import Estimate

NDCG = nDCG @ 10
MEASURES: Mapping[str, Measure] = {
    "nDCG@10": NDCG,
    "recall@10": R @ 10,
    "recall@100": R @ 100,
    "MRR@10": RR @ 10,
}
RESAMPLES = 2_000  # bootstrap samples; the ends of a 95 % interval then move by about 2 %
SEED = 11

Run = Mapping[str, Sequence[str]]
"""Documents by question, best first."""


def documents_in_order(chunk_ids: Iterable[str], documents: Mapping[str, str]) -> list[str]:
    """Return the documents of ranked chunks, each where its first chunk stands."""
    return list(dict.fromkeys(documents[chunk_id] for chunk_id in chunk_ids))


def per_question(
    observations: Sequence[Observation], run: Run, measures: Iterable[Measure]
) -> dict[str, NDArray[np.float64]]:
    """Return each measure's values by its name, one per observation in their order."""
    relevant = {one.question.question_id: dict(one.question.relevant) for one in observations}
    scored = {
        question: {document: 1 / rank for rank, document in enumerate(ranked, 1)}
        for question, ranked in run.items()
    }
    place = {one.question.question_id: at for at, one in enumerate(observations)}
    values: dict[str, NDArray[np.float64]] = {
        str(measure): np.zeros(len(observations)) for measure in measures
    }
    for metric in ir_measures.iter_calc(list(measures), relevant, scored):
        values[str(metric.measure)][place[metric.query_id]] = metric.value
    return values


def estimate(values: NDArray[np.float64]) -> Estimate:
    """Return the mean of one value per question, and how sure it is (percentile bootstrap)."""
    picks = np.random.default_rng(SEED).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.quantile(values[picks].mean(axis=1), (0.025, 0.975))
    return Estimate(
        mean=round(float(values.mean()), 4), low=round(float(low), 4), high=round(float(high), 4)
    )
