"""A result counts all that was left out, and lists as much of it as stays small."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evidence.drop_list import MOST_LISTED, list_drops
from rag.evidence.drop_record import drop
from rag.evidence.records import Drop, DropReason
from rag.testing.canned_retriever import canned_chunk
from rag.wire import to_wire
from tests.evidence.evidence_samples import chunk, rated
from tests.tool.word_store import WordStore, tool


def drops(reasons: list[DropReason]) -> list[Drop]:
    return [drop(rated(chunk(f"c{at}", "x"), at), why) for at, why in enumerate(reasons, start=1)]


@given(
    reasons=st.lists(st.sampled_from(DropReason), max_size=60),
    seed=st.randoms(use_true_random=False),
)
@settings(max_examples=100, deadline=None)
def test_listed_and_not_listed_are_all_and_the_listed_are_the_best_ranked(reasons, seed):
    given_ = drops(reasons)
    seed.shuffle(given_)
    found = list_drops(given_)
    assert [one.rank for one in found.listed] == list(range(1, len(found.listed) + 1))
    assert len(found.listed) + found.not_listed == sum(found.by_reason.values()) == len(reasons)
    assert found.by_reason == {str(one): reasons.count(one) for one in reasons}
    assert len(found.listed) <= MOST_LISTED
    assert bool(found.listed) == bool(reasons)


@pytest.mark.scenario("evidence", "Two hundred hits and room for one")
def test_a_result_of_two_hundred_hits_lists_twenty_and_counts_the_rest():
    words = [f"The walrus of bay {at} eats herrings. " * 3 for at in range(200)]
    store = WordStore([canned_chunk(f"c{at:03}", text=text) for at, text in enumerate(words)])
    result = to_wire(tool(store).lookup("walrus herrings", k=200, budget_tokens=90))
    assert len(result["evidence"]) == 1
    assert sum(result["dropped_by_reason"].values()) == 199
    assert [one["rank"] for one in result["dropped"]] == list(range(2, 22))
    assert result["dropped_not_listed"] == 179
    assert result["truncated"] is True


def test_a_batch_counts_what_each_question_left_out_and_lists_none():
    words = [f"The walrus of bay {at} eats herrings. " * 3 for at in range(40)]
    store = WordStore([canned_chunk(f"c{at:03}", text=text) for at, text in enumerate(words)])
    questions = [f"walrus herrings {at}" for at in range(10)]
    batch = to_wire(tool(store).lookup_many(questions, k=40, budget_tokens=90))
    for result in batch["results"]:
        packed = [one for one in result["evidence"] if "already_packed" not in one["flags"]]
        assert sum(result["dropped_by_reason"].values()) + len(packed) == 40
        assert "dropped" not in result
