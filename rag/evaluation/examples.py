"""Labelled observations as examples to learn from, one per construction and kind of signals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rag.answerability import ChannelLists, Signals, answerability_features
from rag.answerability.profile import signals_of
from rag.evaluation.observe import with_relevant_removed
from rag.evaluation.records import Construction, Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The features of one question, where it comes from, and which collection it was asked of.

    A model learns from all its examples, and ``serves`` those that it would be asked.
    """

    collection: str
    construction: Construction
    features: Mapping[str, float]
    serves: bool = True


def with_removed(observations: Iterable[Observation]) -> list[Observation]:
    """Return the observations, and of each answerable one what it is without its answers."""
    every = []
    for one in observations:
        every.append(one)
        if one.question.construction is Construction.ANSWERABLE and one.relevant_chunks:
            every.append(with_relevant_removed(one))
    return every


def examples_of(
    collection: str, observations: Sequence[Observation], signals: Signals
) -> list[Example]:
    """Return the examples that these signals allow; what a store would not tell is left out.

    So one observation of both channels serves to learn all models. Bigrams learn from words too,
    as there are few collections of either.
    """
    found = []
    for one in observations:
        lists = reduced(one.lists, signals)
        serves = lists is not None
        if lists is None and signals is Signals.BIGRAMS:
            lists = reduced(one.lists, Signals.WORDS)
        if lists is not None:
            found.append(
                Example(
                    collection=collection,
                    construction=one.question.construction,
                    features=answerability_features(lists),
                    serves=serves,
                )
            )
    return found


def reduced(lists: ChannelLists, signals: Signals) -> ChannelLists | None:
    """Return the lists with these signals alone; None where they lack one of them."""
    match signals:
        case Signals.WORDS | Signals.BIGRAMS:
            lists = replace(lists, vector=None)
        case Signals.SCORES_AND_VECTORS:
            lists = replace(lists, terms=None)
        case Signals.SCORES:
            lists = replace(lists, terms=None, vector=None)
        case Signals.VECTORS:
            lists = replace(lists, lexical=None, terms=None)
        case Signals.WORDS_AND_VECTORS:
            pass
    return lists if signals_of(lists) is signals else None
