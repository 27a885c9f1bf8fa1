"""What is read off the channel lists of one question: numbers that mean the same in every base.

=================  ==============================================================================
lexical, where the store tells document frequencies
-------------------------------------------------------------------------------------------------
``score_share``    best BM25 ÷ the most that the query's words could score, Σ idf·(k1+1); [0, 1]
``score_odds``     ln((share + 0.02) / (1 − share + 0.02)): the same, stretched at both ends
``evidence``       ln(1 + best BM25 / ((k1+1)·ln(N+1))): how many words as rare as can be the best
                   hit is worth; chance alone seldom gives more than one
``score_margin``   (best − tenth BM25) ÷ the most: how far the best hit stands out
``coverage``       the most of the query's idf mass that one of the ten best hits holds; [0, 1]
``coverage_lead``  ``coverage`` − the median over the twenty best
``known_missed``   share of the mass of words known to the index that none of the ten best hits
                   holds together; [0, 1]
``unknown_share``  share of the query's idf mass in words that occur nowhere; [0, 1]
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
``cosine_lead``    best − tenth cosine
``cosine_margin``  best − fiftieth cosine
``cosine_spread``  standard deviation of the ten best
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
from collections.abc import Mapping, Sequence

from rag.ranking.fusion_policy import ChannelEntry
from rag.stores.records import TermReport
from rag.trust.channel_lists import ChannelLists

TOP = 10  # what a reader would look at
AGREED = 20  # two lists that meet further down agree on nothing
FAR = 50  # deep enough to be the corpus at large
ABSURD = 1e6  # no BM25 or cosine is this large; NaN and infinity are none either
_ODDS_FLOOR = 0.02  # a share of 0 or 1 is a long list's luck, not certainty


def trust_features(lists: ChannelLists) -> Mapping[str, float]:
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
    best, most_held = _at(scores, 1), max(held[:TOP], default=0.0)
    most = report.saturation * mass
    share = min(max(best / most, 0.0), 1.0) if most else 0.0
    rarest = report.saturation * math.log(max(report.total, 1) + 1)
    return {
        "score_share": share,
        "score_odds": math.log((share + _ODDS_FLOOR) / (1 - share + _ODDS_FLOOR)),
        "evidence": math.log1p(max(best, 0.0) / rarest),
        "score_margin": (best - _at(scores, TOP)) / most if most else 0.0,
        "coverage": most_held / mass if mass else 0.0,
        "coverage_lead": (most_held - middle) / mass if mass else 0.0,
        "known_missed": 1 - most_held / known if known else 1.0,
        "unknown_share": 1 - known / mass if mass else 1.0,
    }


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
    return {
        "best_cosine": best,
        "cosine_lead": best - _at(cosines, TOP),
        "cosine_margin": best - _at(cosines, FAR),
        "cosine_spread": _spread(cosines[:TOP]),
    }


def _spread(values: Sequence[float]) -> float:
    """Return the standard deviation; :mod:`statistics` takes ten times as long over it."""
    if not values:
        return 0.0
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


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
