"""Which look-ups are attempts at one question."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from rag.evidence import AttemptLedger
from rag.evidence.attempt_ledger import QUESTIONS_PER_SESSION
from rag.evidence.records import Attempt


def test_a_first_look_up_is_attempt_one_and_all_it_gives_is_new():
    ledger = AttemptLedger(max_attempts=3)
    assert ledger.record("s", ["path"], ["a", "b"]) == Attempt(number=1, returned=2, new=2, left=2)


def test_the_same_question_in_another_order_of_words_is_a_further_attempt():
    ledger = AttemptLedger(max_attempts=3)
    ledger.record("s", ["path", "type"], ["a"])
    second = ledger.record("s", ["type", "path"], ["a", "b"])
    assert second == Attempt(number=2, returned=2, new=1, left=1)


def test_a_paraphrase_that_gives_known_chunks_is_a_further_attempt():
    ledger = AttemptLedger(max_attempts=3)
    ledger.record("s", ["path"], ["a", "b", "c"])
    assert ledger.record("s", ["route"], ["c", "a"]).number == 2


def test_another_question_with_other_chunks_starts_again():
    ledger = AttemptLedger(max_attempts=3)
    for _ in range(3):
        ledger.record("s", ["path"], ["a"])
    assert ledger.record("s", ["cookie"], ["x", "a"]).number == 1
    assert ledger.record("s", ["path"], ["a"]).number == 4


def test_look_ups_in_a_row_that_give_nothing_are_attempts_at_one_question():
    ledger = AttemptLedger(max_attempts=3)
    numbers = [ledger.record("s", [word], []).number for word in ("foo", "bar", "baz")]
    assert numbers == [1, 2, 3]
    assert ledger.record("s", ["path"], ["a"]).number == 1
    assert ledger.record("s", ["qux"], []).number == 1


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
    for at in range(10 * QUESTIONS_PER_SESSION):
        ledger.record("s", [f"w{at}"], [f"c{at}"])
    assert len(ledger._sessions["s"]) == QUESTIONS_PER_SESSION


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
