"""The one place where a score becomes a quality."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ranking import (
    Quality,
    RetrievalDetail,
    RetrievalScoreNormalizer,
    ScoreKind,
    ScoreLabel,
    SearchHit,
)
from rag.testing.canned_retriever import canned_chunk

CHUNK = canned_chunk("a")
FLAGGED = Quality(value=0.0, flags=("nonfinite_score",))
normalizer = RetrievalScoreNormalizer()


def hit(label: str, score: float | None, rank: int) -> SearchHit:
    dense = label == "dense"
    return SearchHit(
        chunk=CHUNK,
        rank=rank,
        score=score,
        score_label=ScoreLabel(label),
        score_kind=ScoreKind.COSINE if dense else ScoreKind.RRF,
        retrieval=RetrievalDetail(method="vector" if dense else "hybrid"),
    )


def qualities(label: str, *scores: float | None) -> list[float]:
    hits = [hit(label, score, rank) for rank, score in enumerate(scores, 1)]
    return [quality.value for quality in normalizer.to_quality_scores(hits)]


@pytest.mark.scenario("score-quality", "Scale of the score does not matter")
def test_hybrid_quality_ignores_the_scale_of_the_score():
    assert qualities("hybrid", 10, 9, 7) == [1.0, 1 - 1 / 3, 1 - 2 / 3]
    assert qualities("hybrid", 210, 205, 200) == qualities("hybrid", 10, 9, 7)


@pytest.mark.parametrize("score", [2 / 61, 1.0])
def test_first_place_is_quality_one_whether_the_fused_score_was_normalised_or_not(score: float):
    assert qualities("hybrid", score) == [1.0]


@pytest.mark.scenario("score-quality", "Missing hybrid score")
def test_a_hybrid_hit_without_score_has_the_quality_of_its_rank():
    hits = [hit("hybrid", None, 1), hit("hybrid", 0.02, 2)]
    assert normalizer.to_quality_scores(hits) == (Quality(value=1.0), Quality(value=0.5))
    assert hits[0].score is None


@pytest.mark.scenario("score-quality", "No jump where channels stop agreeing")
def test_quality_falls_in_even_steps():
    both = [2 / (60 + rank) / (2 / 61) for rank in range(1, 6)]
    one = [1 / (60 + rank) / (2 / 61) for rank in range(1, 6)]
    assert qualities("hybrid", *both, *one) == pytest.approx(
        [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    )


def test_tied_scores_have_distinct_ranks_and_nothing_becomes_zero():
    assert qualities("hybrid", 0.5, 0.5, 0.5) == [1.0, 1 - 1 / 3, 1 - 2 / 3]
    assert qualities("hybrid", 0.5) == [1.0]


@pytest.mark.scenario("score-quality", "Second page")
def test_later_pages_go_on_from_the_earlier_ones():
    """A hit of page two is rated as it would have been in one page of twenty."""
    page = [hit("hybrid", 0.3, rank) for rank in range(11, 21)]
    rated = normalizer.to_quality_scores(page, offset=10)
    assert rated[0].value == 1 - 10 / 20
    assert rated[-1].value == pytest.approx(1 / 20)
    whole = [hit("hybrid", 0.3, rank) for rank in range(1, 21)]
    assert rated == normalizer.to_quality_scores(whole)[10:]


@pytest.mark.scenario("score-quality", "Negative cosine")
def test_a_negative_cosine_is_quality_zero_without_a_flag():
    below = hit("dense", -0.5, 1)
    assert normalizer.to_quality_score(below, 1) == Quality(value=0.0)
    assert below.score == -0.5


def test_a_cosine_between_zero_and_one_is_its_own_quality():
    assert qualities("dense", 0.75, 0.5, 0.0) == [0.75, 0.5, 0.0]


@pytest.mark.scenario("score-quality", "Cosine above one")
def test_a_cosine_above_one_is_clamped_and_beyond_rounding_warned_of(
    caplog: pytest.LogCaptureFixture,
):
    with caplog.at_level(logging.WARNING, logger="rag"):
        assert qualities("dense", 1.0000001192, 1.001) == [1.0, 1.0]
        assert caplog.records == []
        assert qualities("dense", 1.4) == [1.0]
    (record,) = caplog.records
    assert "1.4" in record.getMessage()
    assert "unit length" in record.getMessage()


@pytest.mark.scenario("score-quality", "Distance of unit vectors")
@pytest.mark.parametrize(
    ("distance", "expected"), [(0.0, 1.0), (1.0, 0.5), (math.sqrt(2), 0.0), (2.0, 0.0)]
)
def test_a_distance_of_unit_vectors_becomes_their_cosine(distance: float, expected: float):
    for signed in (distance, -distance):  # a store that turns the sign means the same distance
        quality = normalizer.to_quality_score(hit("dense", signed, 1), 1, "l2")
        assert quality.value == pytest.approx(expected, abs=1e-12)


def test_an_inner_product_of_unit_vectors_is_their_cosine():
    quality = normalizer.to_quality_score(hit("dense", 0.25, 1), 1, "inner_product")
    assert quality == Quality(value=0.25)


def test_an_unknown_similarity_is_refused():
    with pytest.raises(ValueError, match="expected one of: cosine, inner_product, l2"):
        normalizer.to_quality_score(hit("dense", 0.25, 1), 1, "jaccard")  # type: ignore[arg-type]  # the point


@pytest.mark.scenario("score-quality", "NaN and infinities")
@pytest.mark.parametrize("label", ["dense", "hybrid"])
def test_nonfinite_scores_are_rated_zero_with_a_flag_in_the_given_order(label: str):
    hits = [hit(label, s, i) for i, s in enumerate([math.nan, math.inf, -math.inf, 0.5], 1)]
    rated = normalizer.to_quality_scores(hits)
    assert rated[:3] == (FLAGGED, FLAGGED, FLAGGED)
    assert rated[3].flags == ()


@pytest.mark.parametrize("similarity", ["cosine", "inner_product", "l2"])
def test_a_distance_that_overflows_is_still_a_finite_quality(similarity: str):
    rated = normalizer.to_quality_score(hit("dense", 1e200, 1), 1, similarity)  # type: ignore[arg-type]  # one of the literals
    assert 0.0 <= rated.value <= 1.0


@pytest.mark.scenario("score-quality", "Missing dense score")
def test_a_dense_hit_without_score_is_rated_zero_with_the_flag():
    assert normalizer.to_quality_score(hit("dense", None, 1), 1) == FLAGGED


@pytest.mark.scenario("score-quality", "Rank eleven of ten")
@pytest.mark.parametrize("label", ["dense", "hybrid"])
@pytest.mark.parametrize("rank", [11, 0, -1])
def test_a_rank_outside_the_batch_is_refused(label: str, rank: int):
    with pytest.raises(ValueError, match=rf"rank {rank} is outside 1\.\.10"):
        normalizer.to_quality_score(hit(label, 0.5, rank), 10)


@pytest.mark.parametrize(("offset", "ranks"), [(10, [3]), (10, [10]), (0, [0]), (0, [2, 2])])
def test_a_page_whose_ranks_do_not_follow_its_offset_is_refused(offset: int, ranks: list[int]):
    with pytest.raises(ValueError, match="ranks rise from 1"):
        normalizer.to_quality_scores([hit("hybrid", 0.5, r) for r in ranks], offset=offset)


def test_a_chunk_that_vanished_while_it_was_read_does_not_disturb_the_others():
    page = [hit("hybrid", 0.5, rank) for rank in (1, 2, 4)]
    values = [quality.value for quality in normalizer.to_quality_scores(page)]
    assert values == [1.0, 0.75, 0.25]


SCORES = st.none() | st.floats(allow_nan=True, allow_infinity=True)


@settings(max_examples=100, deadline=None)
@given(scores=st.lists(SCORES, min_size=1, max_size=30), label=st.sampled_from(["dense", "hybrid"]))
def test_every_quality_is_a_finite_number_in_the_unit_interval(
    scores: list[float | None], label: str
):
    logging.disable(logging.WARNING)
    try:
        values = qualities(label, *scores)
    finally:
        logging.disable(logging.NOTSET)
    assert all(math.isfinite(value) and 0.0 <= value <= 1.0 for value in values)


@settings(max_examples=50, deadline=None)
@given(size=st.integers(1, 200))
def test_hybrid_quality_falls_strictly_from_one_to_above_zero(size: int):
    values = qualities("hybrid", *[None] * size)
    assert values[0] == 1.0
    assert values[-1] > 0
    assert all(later < earlier for earlier, later in pairwise(values))


def test_quality_depends_on_nothing_but_label_score_rank_and_batch():
    """No keyword, source, trust or channel membership lifts a hit."""
    plain = hit("hybrid", 0.5, 3)
    decorated = replace(
        plain,
        chunk=canned_chunk("b", source="official", text="the very words of the question"),
        retrieval=RetrievalDetail(method="hybrid", vector_score=0.99, lexical_rank=1),
    )
    assert normalizer.to_quality_score(plain, 5) == normalizer.to_quality_score(decorated, 5)
