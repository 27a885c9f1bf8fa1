"""Min-max convex combination: how far apart two hits are counts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ranking import Channel, ChannelEntry, MinMaxFusion

LEXICAL, VECTOR = Channel.LEXICAL, Channel.VECTOR


def ranking(*scored: tuple[str, float | None]) -> list[ChannelEntry]:
    return [
        ChannelEntry(chunk_id=one, rank=rank, score=score)
        for rank, (one, score) in enumerate(scored, 1)
    ]


def scores(fusion: MinMaxFusion, rankings) -> dict[str, float]:
    return {one.chunk_id: one.score for one in fusion.fuse(rankings)}


def test_scores_are_stretched_and_averaged_by_weight():
    fused = scores(
        MinMaxFusion({LEXICAL: 0.6, VECTOR: 0.4}),
        {
            LEXICAL: ranking(("a", 10.0), ("b", 6.0), ("c", 2.0)),
            VECTOR: ranking(("b", 0.9), ("d", 0.5), ("c", 0.1)),
        },
    )
    assert fused == pytest.approx(
        {"a": 0.6 * 1, "b": 0.6 * (6 - 2) / (10 - 2) + 0.4 * 1, "c": 0.0, "d": 0.4 * 0.5}
    )


def test_only_the_ratio_of_weights_counts():
    lists = {LEXICAL: ranking(("a", 3.0), ("b", 1.0)), VECTOR: ranking(("b", 0.9), ("a", 0.2))}
    first = scores(MinMaxFusion({LEXICAL: 3, VECTOR: 1}), lists)
    assert first == pytest.approx(scores(MinMaxFusion({LEXICAL: 0.75, VECTOR: 0.25}), lists))


def test_a_list_of_equal_scores_gives_each_its_whole_weight():
    fused = scores(MinMaxFusion(), {LEXICAL: ranking(("a", 2.0)), VECTOR: []})
    assert fused == {"a": 0.5}


def test_a_channel_that_was_not_asked_takes_no_part():
    assert scores(MinMaxFusion(), {LEXICAL: ranking(("a", 2.0), ("b", 1.0))})["a"] == 1.0
    assert MinMaxFusion().fuse({}) == ()


def test_a_score_that_is_no_number_counts_as_the_least():
    lists = {LEXICAL: ranking(("a", 2.0), ("b", 1.0), ("c", None), ("d", math.nan))}
    assert scores(MinMaxFusion(), lists) == {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}


def test_ties_go_to_the_better_lexical_rank_and_then_by_id():
    lists = {LEXICAL: ranking(("z", 1.0), ("y", 1.0)), VECTOR: ranking(("x", 0.5), ("w", 0.5))}
    assert [one.chunk_id for one in MinMaxFusion().fuse(lists)] == ["z", "y", "w", "x"]


@pytest.mark.parametrize("weight", [0, -1, math.nan, math.inf])
def test_a_weight_that_is_none_is_refused(weight: float):
    with pytest.raises(ValueError, match="weight"):
        MinMaxFusion({VECTOR: weight})


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.floats(0, 100), max_size=20),
    st.lists(st.floats(-1, 1), max_size=20),
    st.floats(0.01, 10),
)
def test_scores_lie_between_0_and_1_and_every_chunk_comes_once(lexical, vector, weight):
    lists = {
        LEXICAL: ranking(*((f"c{at}", one) for at, one in enumerate(sorted(lexical)[::-1]))),
        VECTOR: ranking(*((f"c{at + 3}", one) for at, one in enumerate(sorted(vector)[::-1]))),
    }
    fused = MinMaxFusion({VECTOR: weight}).fuse(lists)
    ids = [one.chunk_id for one in fused]
    assert len(ids) == len(set(ids))
    assert set(ids) == {one.chunk_id for entries in lists.values() for one in entries}
    assert all(0 <= one.score <= 1 for one in fused)
    assert [one.rank for one in fused] == list(range(1, len(fused) + 1))
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)
