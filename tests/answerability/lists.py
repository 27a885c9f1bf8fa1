"""Channel lists and profiles that the answerability tests are written with."""

from __future__ import annotations

from collections.abc import Sequence

from rag.answerability import (
    AnswerabilityModel,
    AnswerabilityProfile,
    AnswerabilitySignal,
    ChannelLists,
    Signals,
)
from rag.answerability.logistic_model import LogisticModel
from rag.embedding import EmbedderIdentity
from rag.ranking import ChannelEntry
from rag.stores.records import QueryTerm, TermReport
from rag.testing import HashingEmbedder
from rag.text import Analyzer

ANALYZER = Analyzer("english").version
HASHING = HashingEmbedder().identity


def ranking(*scored: tuple[str, float | None]) -> tuple[ChannelEntry, ...]:
    return tuple(
        ChannelEntry(chunk_id=chunk_id, rank=rank, score=score)
        for rank, (chunk_id, score) in enumerate(scored, 1)
    )


def report(
    idfs: Sequence[tuple[int, float]], holds: Sequence[int], *, total: int = 100
) -> TermReport:
    """Terms t0, t1, … as (document frequency, idf), and which of them each hit holds, as bits."""
    return TermReport(
        total=total,
        saturation=2.2,
        terms=tuple(
            QueryTerm(term=f"t{at}", document_frequency=df, idf=idf)
            for at, (df, idf) in enumerate(idfs)
        ),
        holds=tuple(holds),
    )


def lists(
    lexical: tuple[ChannelEntry, ...] | None = None,
    vector: tuple[ChannelEntry, ...] | None = None,
    terms: TermReport | None = None,
    words: int = 2,
) -> ChannelLists:
    return ChannelLists(words=words, lexical=lexical, vector=vector, terms=terms)


def flat(feature: str = "query_words", z: float = 0.0) -> LogisticModel:
    """A model that says 1 / (1 + e^−z) of everything."""
    return LogisticModel(
        features=(feature,), means=(0.0,), scales=(1.0,), coefficients=(0.0,), intercept=z
    )


def trust_model(
    topic: LogisticModel | None = None, answer: LogisticModel | None = None
) -> AnswerabilityModel:
    return AnswerabilityModel(
        topic=topic or flat(z=3), answer=answer or flat(z=1), none=0.1, medium=0.3, high=0.7
    )


def profile(
    *,
    name: str = "test",
    analyzer: str = ANALYZER,
    embedder: EmbedderIdentity | None = HASHING,
    index: str | None = None,
) -> AnswerabilityProfile:
    return AnswerabilityProfile(
        name=name,
        analyzer=analyzer,
        embedder=embedder,
        index=index,
        models=dict.fromkeys(Signals, trust_model()),
        fusion=None,
    )


def signal(on_topic: float, probability: float) -> AnswerabilitySignal:
    return AnswerabilitySignal(
        probability=probability,
        on_topic=on_topic,
        profile="test",
        basis=Signals.WORDS,
        model=trust_model(),
    )
