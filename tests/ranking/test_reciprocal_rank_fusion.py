"""Fusion by reciprocal rank; expected values are written as the formula."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ranking import Channel, ChannelEntry, ReciprocalRankFusion, ScoreKind

LEXICAL, VECTOR = Channel.LEXICAL, Channel.VECTOR
BEST = 2 / 61  # two channels of weight 1, both in first place


def ranking(*chunk_ids: str | None) -> list[ChannelEntry]:
    """Entries at the ranks where an id stands; None leaves a rank to somebody else."""
    return [
        ChannelEntry(chunk_id=chunk_id, rank=rank, score=1.0 / rank)
        for rank, chunk_id in enumerate(chunk_ids, 1)
        if chunk_id is not None
    ]


def at(rank: int) -> list[ChannelEntry]:
    return [ChannelEntry(chunk_id="c", rank=rank, score=0.5)]


@pytest.mark.scenario("score-quality", "First in both channels")
def test_first_in_both_channels_scores_exactly_one():
    (entry,) = ReciprocalRankFusion().fuse({LEXICAL: at(1), VECTOR: at(1)})
    assert entry.score == 1.0


@pytest.mark.scenario("score-quality", "First by words and third by vector")
def test_first_by_words_and_third_by_vector():
    (entry,) = ReciprocalRankFusion().fuse({LEXICAL: at(1), VECTOR: at(3)})
    assert entry.score == (1 / 61 + 1 / 63) / (2 / 61)
    assert round(entry.score, 6) == 0.984127


@pytest.mark.scenario("score-quality", "Found by one of two channels")
def test_first_in_one_of_two_channels_scores_exactly_one_half():
    for rankings in ({LEXICAL: at(1), VECTOR: []}, {LEXICAL: [], VECTOR: at(1)}):
        (entry,) = ReciprocalRankFusion().fuse(rankings)
        assert entry.score == 0.5


@pytest.mark.parametrize(
    ("lexical", "vector", "expected"),
    [
        (1, 1, 1.0),
        (1, 2, 0.991935),
        (1, 3, 0.984127),
        (2, 2, 0.983871),
        (1, 20, 0.88125),
        (10, 10, 0.871429),
        (20, 20, 0.7625),
        (1, None, 0.5),
        (2, None, 0.491935),
        (10, None, 0.435714),
        (20, None, 0.38125),
        (None, 2, 0.491935),
    ],
)
def test_golden_values_at_k_60(lexical: int | None, vector: int | None, expected: float):
    (entry,) = ReciprocalRankFusion().fuse(
        {LEXICAL: at(lexical) if lexical else [], VECTOR: at(vector) if vector else []}
    )
    assert round(entry.score, 6) == expected


def test_a_channel_that_was_not_asked_is_not_in_the_maximum():
    """Absent from the mapping means not asked; an empty ranking means asked and nothing found."""
    (alone,) = ReciprocalRankFusion().fuse({LEXICAL: at(1)})
    (beside_nothing,) = ReciprocalRankFusion().fuse({LEXICAL: at(1), VECTOR: []})
    assert (alone.score, beside_nothing.score) == (1.0, 0.5)


@pytest.mark.scenario("score-quality", "Agreement beats a single first place")
def test_agreement_on_third_place_beats_a_single_first_place():
    fused = ReciprocalRankFusion().fuse(
        {LEXICAL: ranking("x", None, "y"), VECTOR: ranking("z", None, "y")}
    )
    assert 1 / 63 + 1 / 63 > 1 / 61
    assert [entry.chunk_id for entry in fused] == ["y", "x", "z"]
    assert fused[0].score == (1 / 63 + 1 / 63) / BEST


@pytest.mark.scenario("score-quality", "Weighted channels")
def test_weights_scale_both_the_sum_and_its_maximum():
    fusion = ReciprocalRankFusion(weights={LEXICAL: 1.0, VECTOR: 0.5})
    (entry,) = fusion.fuse({LEXICAL: at(2), VECTOR: at(1)})
    assert entry.score == pytest.approx((1 / 62 + 0.5 / 61) / (1.5 / 61), abs=1e-15)


def test_equal_weights_of_any_size_give_the_unweighted_score():
    rankings = {LEXICAL: ranking("a", "b"), VECTOR: ranking("b", "c")}
    heavy = ReciprocalRankFusion(weights={LEXICAL: 4.0, VECTOR: 4.0}).fuse(rankings)
    assert heavy == ReciprocalRankFusion().fuse(rankings)


@pytest.mark.scenario("score-quality", "Equal fused scores")
def test_ties_go_to_the_better_lexical_rank_then_to_the_smaller_id():
    fused = ReciprocalRankFusion().fuse({LEXICAL: ranking("b"), VECTOR: ranking("a")})
    assert [(e.chunk_id, e.score, e.rank) for e in fused] == [("b", 0.5, 1), ("a", 0.5, 2)]
    crossed = ReciprocalRankFusion().fuse({LEXICAL: ranking("b", "a"), VECTOR: ranking("a", "b")})
    assert [entry.chunk_id for entry in crossed] == ["b", "a"]
    twins = [ChannelEntry(chunk_id=name, rank=5, score=None) for name in ("d", "c")]
    by_id = ReciprocalRankFusion().fuse({LEXICAL: [], VECTOR: twins})
    assert [entry.chunk_id for entry in by_id] == ["c", "d"]


@pytest.mark.scenario("score-quality", "Null score inside a channel")
def test_a_null_score_is_carried_and_ranks_decide():
    entries = [
        ChannelEntry(chunk_id=name, rank=rank, score=score)
        for rank, (name, score) in enumerate([("a", 0.9), ("b", None), ("c", 0.3)], 1)
    ]
    fused = ReciprocalRankFusion().fuse({VECTOR: entries})
    assert [entry.chunk_id for entry in fused] == ["a", "b", "c"]
    assert [entry.vector.score for entry in fused if entry.vector] == [0.9, None, 0.3]


@pytest.mark.scenario("score-quality", "Zero is a score")
@pytest.mark.parametrize("other", [-0.1, None, math.nan, -math.inf])
@pytest.mark.parametrize("zero_first", [True, False])
def test_zero_wins_over_less_and_over_nothing(other: float | None, zero_first: bool):
    zero = ChannelEntry(chunk_id="c", rank=1 if zero_first else 2, score=0.0)
    lesser = ChannelEntry(chunk_id="c", rank=2 if zero_first else 1, score=other)
    (entry,) = ReciprocalRankFusion().fuse({VECTOR: sorted([zero, lesser], key=lambda e: e.rank)})
    assert entry.vector is zero


def test_of_two_equal_copies_the_better_rank_counts():
    twice = [ChannelEntry(chunk_id="c", rank=rank, score=0.5) for rank in (1, 2)]
    (entry,) = ReciprocalRankFusion().fuse({VECTOR: twice})
    assert entry.score == 1.0


def test_nothing_found_fuses_to_nothing():
    assert ReciprocalRankFusion().fuse({LEXICAL: [], VECTOR: []}) == ()
    assert ReciprocalRankFusion().fuse({}) == ()


def test_the_kind_of_a_fused_score_is_rrf():
    assert ReciprocalRankFusion().score_kind is ScoreKind.RRF


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_a_constant_below_one_is_refused(k: object):
    with pytest.raises(ValueError, match="constant k"):
        ReciprocalRankFusion(k=k)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf])
def test_a_weight_that_is_no_positive_number_is_refused(weight: float):
    with pytest.raises(ValueError, match="weight of channel vector"):
        ReciprocalRankFusion(weights={VECTOR: weight})


def test_a_rank_below_one_is_refused():
    with pytest.raises(ValueError, match="ranks count from 1"):
        ReciprocalRankFusion().fuse({LEXICAL: at(0)})


IDS = st.lists(st.sampled_from("abcdefghij"), unique=True)


@settings(max_examples=100, deadline=None)
@given(
    lexical=IDS,
    vector=IDS,
    k=st.integers(1, 100),
    weights=st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)),
)
def test_fusion_is_a_total_order_over_the_union_with_scores_in_the_unit_interval(
    lexical: list[str], vector: list[str], k: int, weights: tuple[float, float]
):
    rankings = {LEXICAL: ranking(*lexical), VECTOR: ranking(*vector)}
    before = {channel: list(entries) for channel, entries in rankings.items()}
    fusion = ReciprocalRankFusion(k, {LEXICAL: weights[0], VECTOR: weights[1]})
    fused = fusion.fuse(rankings)
    assert {entry.chunk_id for entry in fused} == {*lexical, *vector}
    assert [entry.rank for entry in fused] == list(range(1, len(fused) + 1))
    assert all(0 < entry.score <= 1 + 1e-12 for entry in fused)
    order = [(-e.score, e.lexical.rank if e.lexical else math.inf, e.chunk_id) for e in fused]
    assert order == sorted(order)
    assert fused == fusion.fuse(dict(reversed(rankings.items())))
    assert rankings == before
