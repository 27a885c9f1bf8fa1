"""Which look-ups are attempts at one question."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evidence import AttemptLedger
from rag.evidence.attempt_ledger import CHUNKS_PER_WORDING, WORDINGS_PER_SESSION
from rag.evidence.records import Attempt

MANY = 200  # chunks that were searched, of which a few are given


def test_a_first_look_up_is_attempt_one_and_all_it_gives_is_new():
    ledger = AttemptLedger(max_attempts=3)
    assert ledger.record("s", ["path"], ["a", "b"]) == Attempt(number=1, returned=2, new=2, left=2)


def test_the_same_question_in_another_order_of_words_is_a_further_attempt():
    ledger = AttemptLedger(max_attempts=3)
    ledger.record("s", ["path", "type"], ["a"])
    second = ledger.record("s", ["type", "path"], ["a", "b"])
    assert second == Attempt(number=2, returned=2, new=1, left=1)


@pytest.mark.parametrize("paraphrase", [["route"], ["path", "argument", "route"]])
def test_a_paraphrase_that_gives_known_chunks_of_many_is_a_further_attempt(paraphrase):
    ledger = AttemptLedger(max_attempts=3)
    ledger.record("s", ["path", "param"], ["a", "b", "c"], searched=MANY)
    assert ledger.record("s", paraphrase, ["c", "a"], searched=MANY).number == 2


def test_one_chunk_of_many_is_another_question_s_answer_too_unless_a_term_is_shared():
    ledger = AttemptLedger(max_attempts=3)
    ledger.record("s", ["path", "param"], ["a"], searched=MANY)
    assert ledger.record("s", ["cookie"], ["a"], searched=MANY).number == 1
    assert ledger.record("s", ["path", "type"], ["a"], searched=MANY).number == 2


@pytest.mark.scenario("evidence", "Three questions to a base of three chunks")
@pytest.mark.parametrize("searched", [0, 3, 29])
def test_the_same_chunks_of_few_say_nothing_of_the_question(searched: int):
    ledger = AttemptLedger(max_attempts=3)
    everything = ["a", "b", "c"]
    for terms in (["long", "backup", "kept"], ["call", "night"], ["vpn", "address"]):
        assert ledger.record("s", terms, everything, searched=searched).left == 2
    assert ledger.record("s", ["restor", "backup"], everything, searched=searched).left == 2
    assert ledger.record("s", ["backup", "kept"], everything, searched=searched).left == 1


def test_what_is_given_tells_below_a_tenth_of_what_was_searched():
    for searched, number in ((30, 1), (31, 2)):
        ledger = AttemptLedger(max_attempts=3)
        ledger.record("s", ["path"], ["a", "b", "c"], searched=searched)
        assert ledger.record("s", ["route"], ["a", "b", "c"], searched=searched).number == number


def test_another_question_with_other_chunks_starts_again():
    ledger = AttemptLedger(max_attempts=3)
    for _ in range(3):
        ledger.record("s", ["path"], ["a"], searched=MANY)
    assert ledger.record("s", ["cookie"], ["x", "a"], searched=MANY).number == 1
    assert ledger.record("s", ["path"], ["a"], searched=MANY).number == 4


@pytest.mark.scenario("evidence", "Two questions by turns")
@pytest.mark.parametrize("searched", [2, MANY])
def test_circles_that_alternate_between_two_questions_are_counted(searched: int):
    ledger = AttemptLedger(max_attempts=3)
    asked = [["path", "type"], ["cookie", "name"]] * 3
    given = [["a", "b"], ["a", "b"]] * 3 if searched == 2 else [["a", "b"], ["x", "y"]] * 3
    attempts = [
        ledger.record("s", terms, chunks, searched=searched)
        for terms, chunks in zip(asked, given, strict=True)
    ]
    assert [one.number for one in attempts] == [1, 1, 2, 2, 3, 3]
    assert [one.new for one in attempts] == [2, 2, 0, 0, 0, 0]


def test_a_wording_that_gave_more_before_is_no_attempt_at_one_that_gives_something_new():
    ledger = AttemptLedger(max_attempts=3)
    ledger.record("s", ["path", "param"], ["a", "b"], searched=MANY)
    assert ledger.record("s", ["path", "param", "type"], ["a", "n"], searched=MANY).number == 1


def test_look_ups_that_give_nothing_are_attempts_at_one_question_if_their_words_are_alike():
    ledger = AttemptLedger(max_attempts=3)
    asked = (["foo", "bar"], ["bar", "foo", "baz"], ["qux"], ["foo", "quux"])
    assert [ledger.record("s", terms, []).number for terms in asked] == [1, 2, 1, 1]
    ledger.record("s", ["path", "type"], ["a"])
    assert ledger.record("s", ["path", "type", "again"], []).number == 1


def test_look_ups_of_one_call_are_no_attempts_at_one_another():
    ledger = AttemptLedger(max_attempts=3)
    asked = (["path", "type", "int"], ["path", "type", "float"], ["path", "type", "int"])
    for number in (1, 2, 3):
        call = ledger.begin_call()
        attempts = [
            ledger.record("s", terms, ["a", "b"], searched=MANY, call=call) for terms in asked
        ]
        assert [one.number for one in attempts] == [number] * 3
        assert [one.new for one in attempts] == [2 if number == 1 else 0] * 3
    assert ledger.record("s", ["path", "type", "int"], ["a", "b"]).number == 4


def test_questions_do_not_run_into_one_another_over_a_third():
    """Each is half new, so the last has nothing to do with the first."""
    ledger = AttemptLedger(max_attempts=3)
    asked = (["a", "b", "c"], ["b", "c", "d"], ["c", "d", "e"], ["d", "e", "f"])
    assert [ledger.record("s", terms, ["x"]).number for terms in asked] == [1, 2, 2, 2]


_LOOK_UPS = st.lists(
    st.tuples(
        st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=4),
        st.frozensets(st.integers(1, 5).map(str), max_size=5),
    ),
    max_size=12,
)


@given(_LOOK_UPS, st.frozensets(st.integers(1, 5).map(str), max_size=5), st.sampled_from([0, 5]))
@settings(max_examples=100, deadline=None)
def test_a_question_of_words_not_asked_before_loses_no_attempt_on_a_small_base(
    before, chunks, searched
):
    ledger = AttemptLedger(max_attempts=3)
    for terms, earlier in before:
        ledger.record("s", terms, earlier, searched=searched)
    assert ledger.record("s", ["new", "words"], chunks, searched=searched).left == 2


@given(_LOOK_UPS, st.sampled_from([0, 5, MANY]))
@settings(max_examples=100, deadline=None)
def test_a_look_up_counts_those_of_its_own_words_and_never_more_than_there_were(before, searched):
    ledger = AttemptLedger(max_attempts=3)
    for at, (terms, chunks) in enumerate(before):
        attempt = ledger.record("s", terms, chunks, searched=searched)
        again = sum(terms == one for one, _ in before[:at])
        assert again + 1 <= attempt.number <= at + 1
        assert attempt.left == max(0, 3 - attempt.number)
        assert attempt.new <= attempt.returned == len(chunks)


def test_sessions_do_not_know_of_each_other():
    ledger = AttemptLedger(max_attempts=3)
    assert [ledger.record(one, ["path"], ["a"]).number for one in ("s", "t")] == [1, 1]


def test_the_least_recently_used_session_is_forgotten_first():
    ledger = AttemptLedger(max_attempts=3, max_sessions=2)
    for session in ("s", "t", "s", "u"):
        ledger.record(session, ["path"], ["a"])
    assert ledger.record("s", ["path"], ["a"]).number == 3
    assert ledger.record("t", ["path"], ["a"]).number == 1


def test_memory_is_bounded_within_a_session_too():
    ledger = AttemptLedger(max_attempts=3)
    for at in range(10 * WORDINGS_PER_SESSION):
        ledger.record("s", [f"w{at}"], [f"c{at}"])
        ledger.record("s", ["always"], [f"c{at}-{more}" for more in range(200)])
    assert len(ledger._sessions["s"]) == WORDINGS_PER_SESSION
    kept = ledger._sessions["s"][frozenset(["always"])].given
    assert len(kept) < CHUNKS_PER_WORDING + 200


def test_a_caller_that_counts_itself_leaves_no_trace():
    ledger = AttemptLedger(max_attempts=3)
    attempt = ledger.explicit(2, ["a", "b"], ["b", "c"])
    assert attempt == Attempt(number=2, returned=2, new=1, left=1)
    assert ledger.explicit(9, [], []).left == 0
    assert not ledger._sessions


def test_threads_lose_no_attempt():
    ledger = AttemptLedger(max_attempts=3)
    with ThreadPoolExecutor(8) as pool:
        attempts = pool.map(lambda _: ledger.record("s", ["path"], ["a"]).number, range(200))
        assert sorted(attempts) == list(range(1, 201))
