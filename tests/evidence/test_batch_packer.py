"""Several questions share one budget, and none goes short."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import InvalidArgumentError
from rag.evidence import EvidencePacker
from rag.evidence.batch_packer import _water_level
from rag.evidence.records import Evidence
from tests.evidence.evidence_samples import COUNTERS, chunk, counter, ids, ranked, reasons
from tests.evidence.test_packer import PIECES, all_counters


def question(name: str, *texts: str) -> list[Evidence]:
    chunks = [chunk(f"{name}{at}", text) for at, text in enumerate(texts, start=1)]
    return [Evidence(rated=one) for one in ranked(chunks)]


def sentences(count: int, word: str) -> str:
    return f"A {word} sentence of some words. " * count


@given(
    batch=st.lists(st.lists(st.sampled_from(PIECES), max_size=4), max_size=4),
    budget=st.integers(0, 500),
)
@settings(max_examples=40, deadline=None)
def test_the_joined_text_of_a_batch_never_exceeds_the_budget(batch, budget):
    questions = [question(f"q{at}-", *texts) for at, texts in enumerate(batch)]
    for one in all_counters():
        packed = EvidencePacker(one).pack_batch(questions, budget)
        assert one.count(packed.context) == packed.tokens <= budget
        assert len(packed.parts) == len(questions)
        own = [item for part in packed.parts for item in part.items if not item.repeated]
        assert [item.number for item in own] == list(range(1, len(own) + 1))
        for part, evidence in zip(packed.parts, questions, strict=True):
            kept = [item.evidence.rated.chunk.chunk_id for item in part.items]
            repeated = {i.evidence.rated.chunk.chunk_id for i in part.items if i.repeated}
            dropped = reasons(part.dropped)
            assert {c for c, why in dropped.items() if why == "already_packed"} == repeated
            assert sorted([*kept, *(set(dropped) - repeated)]) == sorted(ids(evidence))
            ranks = [item.evidence.rated.rank for item in part.items]
            assert ranks == sorted(ranks)


@pytest.mark.scenario("evidence", "Ten questions with long best pieces")
@pytest.mark.parametrize("name", COUNTERS)
def test_no_question_starves(name: str):
    questions = [question(f"q{at}-", sentences(100, f"long{at}")) for at in range(10)]
    packed = EvidencePacker(counter(name)).pack_batch(questions, 2_000)
    assert all(part.items and part.items[0].truncated for part in packed.parts)
    shares = [part.tokens for part in packed.parts]
    assert max(shares) <= 2_000 / 10


@pytest.mark.scenario("evidence", "A question that needs less than its share")
def test_what_one_question_leaves_flows_on_to_the_others():
    modest = question("a", "A short answer.")
    greedy = question("b", *(sentences(8, f"piece{at}") for at in range(20)))
    packed = EvidencePacker(counter("estimate")).pack_batch([modest, greedy], 1_000)
    used = [part.tokens for part in packed.parts]
    assert used[0] < 40
    assert used[1] > 800
    assert not any(item.truncated for part in packed.parts for item in part.items)


def test_a_batch_fills_up_evenly():
    questions = [
        question(name, *(sentences(6, f"{name}{at}") for at in range(20))) for name in "abc"
    ]
    packed = EvidencePacker(counter("estimate")).pack_batch(questions, 1_500)
    counts = [len(part.items) for part in packed.parts]
    assert max(counts) - min(counts) <= 1


@pytest.mark.scenario("evidence", "Two questions that found the same text")
def test_a_text_that_two_questions_found_is_packed_once_and_referred_to():
    shared = "The text that both have found."
    first, second = question("a", shared, "Own of a."), question("b", "Own of b.", shared)
    packed = EvidencePacker(counter("estimate")).pack_batch([first, second], 1_000)
    assert packed.context.count(shared) == 1
    one, two = packed.parts
    assert [(item.number, item.repeated) for item in one.items] == [(1, False), (2, False)]
    assert [(item.number, item.repeated) for item in two.items] == [(3, False), (1, True)]
    assert "Question 2, see also [1]\n" in packed.context
    (drop,) = two.dropped
    assert (drop.chunk_id, str(drop.reason), drop.of) == ("b2", "already_packed", "a1")


def test_numbers_in_the_block_are_those_of_the_items():
    questions = [question("a", "One.", "Two."), [], question("c", "Three.")]
    packed = EvidencePacker(counter("estimate")).pack_batch(questions, 1_000)
    written = re.findall(r"^\[(\d+)\] (\S+)\.md#L1$", packed.context, re.M)
    items = [item for part in packed.parts for item in part.items]
    assert written == [(str(i.number), i.evidence.rated.chunk.doc_id) for i in items]
    assert "Question 2: no evidence\n" in packed.context


@pytest.mark.parametrize("budget", [0, 1, 5, 20])
def test_a_budget_too_small_for_anything_gives_nothing(budget: int):
    packed = EvidencePacker(counter("estimate")).pack_batch([question("a", "One.")], budget)
    assert (packed.context, packed.tokens, packed.parts[0].items) == ("", 0, ())
    assert reasons(packed.parts[0].dropped) == {"a1": "over_budget"}


def test_a_negative_budget_is_refused():
    with pytest.raises(InvalidArgumentError, match="at least 0"):
        EvidencePacker(counter("estimate")).pack_batch([], -1)


@pytest.mark.parametrize(
    ("needs", "room", "level"),
    [
        ([], 100, 0),
        ([30, 40], 100, 40),
        ([10, 90, 90], 100, (100 - 10) // 2),
        ([50, 50, 50], 90, 90 // 3),
        ([5, 6, 70, 80], 111, (111 - 5 - 6) // 2),
        ([50], -3, 0),
    ],
)
def test_the_water_level_serves_small_needs_in_full(needs, room, level):
    assert _water_level(needs, room) == level
    assert sum(min(need, level) for need in needs) <= max(0, room)
