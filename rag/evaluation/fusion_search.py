"""Which fusion finds best on these questions, and whether hybrid beats its better channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rag.answerability import FusionChoice
from rag.errors import InvalidArgumentError
from rag.evaluation.ranking_measures import (
    NDCG,
    documents_in_order,
    estimate,
    per_question,
)
from rag.evaluation.records import Construction, Observation
from rag.ranking import Channel, ChannelEntry, FusionPolicy, MinMaxFusion, ReciprocalRankFusion
from rag.wire.evaluation_records import FusionComparison, FusionScore

STANDARD = FusionChoice(kind="rrf", k=60, lexical_weight=1.0, vector_weight=1.0)
CANDIDATES = (
    STANDARD,
    *(
        FusionChoice(kind="rrf", k=k, lexical_weight=1.0, vector_weight=weight)
        for k in (1, 2, 5, 10, 20, 60)
        for weight in (0.3, 0.5, 0.7, 1.0)
        if (k, weight) != (60, 1.0)
    ),
    *(
        FusionChoice(kind="minmax", k=60, lexical_weight=round(1 - dense, 2), vector_weight=dense)
        for dense in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    ),
)
HARM_TOLERATED = 0.005  # nDCG@10 below the better channel that a choice may cost on any collection


Fusions = Mapping[str, FusionComparison]


def make_fusion(choice: FusionChoice) -> FusionPolicy:
    """Return the policy of a choice."""
    weights = {Channel.LEXICAL: choice.lexical_weight, Channel.VECTOR: choice.vector_weight}
    if choice.kind == "minmax":
        return MinMaxFusion(weights)
    return ReciprocalRankFusion(choice.k, weights)


def fused_documents(observation: Observation, fusion: FusionPolicy) -> list[str]:
    """Return the documents of an observation in the order of a fusion of what answered."""
    lists = observation.lists
    rankings: dict[Channel, Sequence[ChannelEntry]] = {}
    if lists.lexical is not None:
        rankings[Channel.LEXICAL] = lists.lexical
    if lists.vector is not None:
        rankings[Channel.VECTOR] = lists.vector
    fused = fusion.fuse(rankings)
    return documents_in_order((entry.chunk_id for entry in fused), observation.documents)


def channel_documents(observation: Observation, channel: Channel) -> list[str]:
    """Return the documents of one channel's ranking; none where it did not answer."""
    lists = observation.lists
    ranking = lists.lexical if channel is Channel.LEXICAL else lists.vector
    return documents_in_order((entry.chunk_id for entry in ranking or ()), observation.documents)


def compare_fusions(
    observations: Sequence[Observation], candidates: Sequence[FusionChoice] = CANDIDATES
) -> FusionComparison | None:
    """Return the comparison on answerable questions; None where no two channels ever answered."""
    both = [
        one
        for one in observations
        if one.question.construction is Construction.ANSWERABLE
        and one.lists.lexical is not None
        and one.lists.vector is not None
    ]
    if not both:
        return None
    alone = {
        channel: _ndcg(both, [channel_documents(one, channel) for one in both])
        for channel in Channel
    }
    better = max(float(values.mean()) for values in alone.values())
    scores = []
    for choice in candidates:
        policy = make_fusion(choice)
        values = _ndcg(both, [fused_documents(one, policy) for one in both])
        scores.append(
            FusionScore(
                choice=choice,
                ndcg=estimate(values),
                harm=round(better - float(values.mean()), 4),
            )
        )
    return FusionComparison(
        questions=len(both),
        lexical=estimate(alone[Channel.LEXICAL]),
        vector=estimate(alone[Channel.VECTOR]),
        fusions=tuple(scores),
    )


def best_fusion(compared: Fusions, kinds: Sequence[str] = ("rrf", "minmax")) -> FusionChoice:
    """Return the candidate of the best mean nDCG@10 among those that harm no collection.

    Every question weighs the same, so that a small collection's luck decides nothing.

    Where every one harms some collection by more than 0.005, it is the one that harms least.

    Raises:
        InvalidArgumentError: there is nothing to compare.
    """
    if not compared:
        raise InvalidArgumentError("no questions that both channels answer; nothing can be fused")
    tables = list(compared.values())
    questions = [table.questions for table in tables]
    ranked = []
    for at, first in enumerate(tables[0].fusions):
        if first.choice.kind not in kinds:
            continue
        scores = [table.fusions[at] for table in tables]
        harm = max(score.harm for score in scores)
        gain = float(np.average([score.ndcg.mean for score in scores], weights=questions))
        harmless = harm <= HARM_TOLERATED
        ranked.append((harmless, gain if harmless else -harm, -at, first.choice))
    return max(ranked, key=lambda one: one[:3])[3]


def _ndcg(
    observations: Sequence[Observation], ranked: Sequence[Sequence[str]]
) -> NDArray[np.float64]:
    run = {one.question.question_id: own for one, own in zip(observations, ranked, strict=True)}
    return per_question(observations, run, [NDCG])[str(NDCG)]
