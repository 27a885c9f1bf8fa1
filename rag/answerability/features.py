"""What is read off the channel lists of one question: numbers that mean the same in every base.

=================  ==============================================================================
lexical, where the store tells document frequencies
-------------------------------------------------------------------------------------------------
``evidence``       ln(1 + e), e = best BM25 / ((k1+1)·ln(N+1)): how many words as rare as can be
                   the best hit is worth; chance alone seldom gives more than one
``known_mass``     ln(1 + m), m = Σ idf of the words known to the index / ln(N+1), in the same
                   unit: how much there was to be hit
``excess``         ln(1 + max(e − m / 20, 0)): the evidence beyond what chance finds where so much
                   can be hit
``coverage``       the most of the query's idf mass that one of the ten best hits holds; [0, 1]
``whole``          max(``coverage`` − 0.8, 0) / 0.2: whether one hit holds all there is to hold, as
                   of a keyword; of questions off the topic hardly any does
``coverage_lead``  ``coverage`` − the median over the twenty best
``known_missed``   share of the mass of words known to the index that none of the ten best hits
                   holds together; [0, 1]
``unknown_share``  share of the query's idf mass in words that occur nowhere; [0, 1]
``bigrams``        share of words that are pairs of characters; the pairs of one word overlap, so
                   that the same evidence is worth less; [0, 1]
``query_words``    ln(1 + distinct words)
-------------------------------------------------------------------------------------------------
lexical, in every store
-------------------------------------------------------------------------------------------------
``score_log``      ln(1 + best BM25)
``score_per_word`` ln(1 + best BM25 / distinct words)
``score_lead``     (best − tenth BM25) ÷ best; [0, 1]
-------------------------------------------------------------------------------------------------
vector
-------------------------------------------------------------------------------------------------
``best_cosine``    the best cosine; [−1, 1]
``cosine_margin``  best − fiftieth cosine
-------------------------------------------------------------------------------------------------
both
-------------------------------------------------------------------------------------------------
``overlap``        share of the ten best that both lists have; [0, 1]
``agreement``      1 ÷ the best place that some chunk has in both lists, the 20th at most
=================  ==============================================================================

A list shorter than a place is read at its last entry; an empty one gives 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from rag.answerability.channel_lists import ChannelLists
from rag.ranking.fusion_policy import ChannelEntry
from rag.stores.records import TermReport
from rag.text.words import UNSPACED

TOP = 10  # what a reader would look at
AGREED = 20  # two lists that meet further down agree on nothing
FAR = 50  # deep enough to be the corpus at large
ABSURD = 1e6  # no BM25 or cosine is this large; NaN and infinity are none either
# The share of its known mass that a question finds in some chunk by chance: of the least log loss
# on collections that were left out; 0.03 to 0.06 do nearly as well.
CHANCE = 1 / 20
WHOLE_FROM = 0.8  # coverage; the rest may be a question word or a particle
_UNSPACED = re.compile(f"[{UNSPACED}]")


def answerability_features(lists: ChannelLists) -> Mapping[str, float]:
    """Return the features that these lists allow, by name; all finite."""
    found: dict[str, float] = {"query_words": math.log1p(lists.words)}
    if lists.lexical is not None:
        scores = _scores(lists.lexical)
        found |= _score_features(scores, lists.words)
        if lists.terms is not None:
            found |= _term_features(scores, lists.terms)
    if lists.vector is not None:
        found |= _cosine_features(_scores(lists.vector))
    if lists.lexical is not None and lists.vector is not None:
        found |= _agreement_features(lists.lexical, lists.vector)
    return found


def _scores(ranking: Sequence[ChannelEntry]) -> list[float]:
    """Return the scores down to the place that is looked at; one that is no score counts as 0."""
    return [
        entry.score if entry.score is not None and abs(entry.score) < ABSURD else 0.0
        for entry in ranking[:FAR]
    ]


def _at(scores: Sequence[float], place: int) -> float:
    """Return the score at a place from 1, or the last before it."""
    return scores[min(place, len(scores)) - 1] if scores else 0.0


def _score_features(scores: Sequence[float], words: int) -> dict[str, float]:
    best = _at(scores, 1)
    return {
        "score_log": math.log1p(max(best, 0.0)),
        "score_per_word": math.log1p(max(best, 0.0) / max(words, 1)),
        "score_lead": (best - _at(scores, TOP)) / best if best > 0 else 0.0,
    }


def _term_features(scores: Sequence[float], report: TermReport) -> dict[str, float]:
    weights = [term.idf for term in report.terms]
    mass = sum(weights)
    known = sum(term.idf for term in report.terms if term.document_frequency)
    held = [_mass_held(bits, weights) for bits in report.holds[: 2 * TOP]]
    middle = sorted(held)[len(held) // 2] if held else 0.0
    most_held = max(held[:TOP], default=0.0)
    rarest = math.log(max(report.total, 1) + 1)
    coverage = most_held / mass if mass else 0.0
    evidence = max(_at(scores, 1), 0.0) / (report.saturation * rarest)
    return {
        "evidence": math.log1p(evidence),
        "known_mass": math.log1p(known / rarest),
        "excess": math.log1p(max(evidence - CHANCE * known / rarest, 0.0)),
        "bigrams": _bigrams(report) / len(report.terms) if report.terms else 0.0,
        "coverage": coverage,
        "whole": max(coverage - WHOLE_FROM, 0.0) / (1 - WHOLE_FROM),
        "coverage_lead": (most_held - middle) / mass if mass else 0.0,
        "known_missed": 1 - most_held / known if known else 1.0,
        "unknown_share": 1 - known / mass if mass else 1.0,
    }


def has_bigrams(report: TermReport) -> bool:
    """Whether any word of the query is of a script without spaces, and so a pair of characters."""
    return _bigrams(report) > 0


def _bigrams(report: TermReport) -> int:
    """Return how many words are pairs of characters, or one that stood alone."""
    return sum(_UNSPACED.match(term.term) is not None for term in report.terms)


def _mass_held(bits: int, weights: Sequence[float]) -> float:
    """Return the idf mass of the words whose bit is set."""
    held = 0.0
    while bits:
        lowest = bits & -bits
        held += weights[lowest.bit_length() - 1]
        bits ^= lowest
    return held


def _cosine_features(cosines: Sequence[float]) -> dict[str, float]:
    best = _at(cosines, 1)
    return {"best_cosine": best, "cosine_margin": best - _at(cosines, FAR)}


def _agreement_features(
    lexical: Sequence[ChannelEntry], vector: Sequence[ChannelEntry]
) -> dict[str, float]:
    places = {entry.chunk_id: at for at, entry in enumerate(lexical[:AGREED], 1)}
    meetings = [
        max(at, places[entry.chunk_id])
        for at, entry in enumerate(vector[:AGREED], 1)
        if entry.chunk_id in places
    ]
    both = {entry.chunk_id for entry in lexical[:TOP]} & {entry.chunk_id for entry in vector[:TOP]}
    return {
        "overlap": len(both) / TOP,
        "agreement": 1 / min(meetings) if meetings else 0.0,
    }
