"""What a level rests on, why it was given, and whether asking again can help."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evidence import AttemptLedger, EvidencePostProcessor, RelevanceGate
from rag.evidence.drop_record import drop
from rag.evidence.records import (
    Attempt,
    DropReason,
    GateReason,
    ProcessedEvidence,
    RelevanceDecision,
    RelevanceLevel,
    SearchFacts,
)
from rag.settings import EvidenceSettings, GateSettings
from rag.tool.room_advice import with_room_advice
from tests.answerability.lists import signal
from tests.evidence.evidence_samples import chunk, rated

ORDINAL = SearchFacts(basis="ordinal")
SIMILARITY = SearchFacts(basis="similarity")


def found(*qualities: float, floor: float | None = None) -> ProcessedEvidence:
    pieces = [rated(chunk(f"c{at}", f"text {at}"), at, q) for at, q in enumerate(qualities, 1)]
    return EvidencePostProcessor(EvidenceSettings()).process(pieces, min_quality=floor)


def decide(
    processed: ProcessedEvidence, facts: SearchFacts = ORDINAL, **changes: object
) -> RelevanceDecision:
    return RelevanceGate(GateSettings(**changes)).decide(processed, facts)


@pytest.mark.scenario("evidence", "Cosines of 0.60, 0.40, 0.20 and 0.19")
@pytest.mark.parametrize(
    ("cosine", "level", "reason", "retry"),
    [
        (1.0, "high", "ok", False),
        (0.6, "high", "ok", False),
        (0.59, "medium", "ok", False),
        (0.4, "medium", "ok", False),
        (0.39, "low", "weak", True),
        (0.2, "low", "weak", True),
        (0.19, "none", "below_threshold", True),
        (0.0, "none", "below_threshold", True),
    ],
)
def test_a_similarity_is_held_against_the_thresholds(cosine, level, reason, retry):
    decision = decide(found(cosine), SIMILARITY)
    assert (decision.level, decision.basis, decision.best_quality) == (level, "similarity", cosine)
    assert (decision.reason, decision.retry.reason) == (reason, reason)
    assert decision.retry.should_retry is retry


@pytest.mark.scenario("evidence", "The first of ten fused hits")
def test_ranks_alone_earn_at_most_the_ceiling_and_the_message_says_ordinal():
    decision = decide(found(1.0, 0.5))
    assert (decision.level, decision.basis, decision.reason) == ("medium", "ordinal", "ok")
    assert "ordinal" in decision.message
    assert "not that any of them fits" in decision.message


@pytest.mark.parametrize("ceiling", ["high", "medium", "low"])
def test_the_ordinal_ceiling_is_a_setting(ceiling: str):
    assert decide(found(1.0), ordinal_ceiling=ceiling).level == ceiling


def test_the_ordinal_ceiling_never_lifts_a_level():
    assert decide(found(0.3), ordinal_ceiling="high").level == "low"


def test_a_rank_far_down_does_not_show_that_nothing_fits():
    decision = decide(found(0.05))
    assert (decision.level, decision.basis, decision.reason) == ("low", "ordinal", "weak")


@pytest.mark.scenario("evidence", "A question of unknown words")
def test_a_question_of_unknown_words_is_low_on_the_strength_of_rank():
    """Case gibberish: nothing is called relevant for having come first."""
    facts = replace(ORDINAL, word_found=False, unmatched_words=("asdkjh", "qwoeiu", "zxcm"))
    decision = decide(found(1.0, 0.5), facts, ordinal_ceiling="high")
    assert (decision.level, decision.basis, decision.reason) == ("low", "ordinal", "weak")
    assert "ordinal" in decision.message
    assert decision.retry.should_retry
    assert decision.retry.unmatched_words == ("asdkjh", "qwoeiu", "zxcm")
    assert "occur nowhere in the index: asdkjh, qwoeiu, zxcm" in decision.retry.hint


@pytest.mark.scenario("evidence", "Every hit below the floor")
def test_all_below_the_floor_does_not_read_like_an_empty_corpus():
    decision = decide(found(0.45, 0.3, floor=0.5), SIMILARITY)
    assert (decision.level, decision.reason) == ("none", "below_threshold")
    assert (decision.best_quality, decision.filtered_count) == (0.45, 2)
    assert "below the floor of 0.50; the best has 0.45" in decision.message
    assert "empty" not in decision.message
    assert "min_quality of at most 0.45" in decision.retry.hint


@pytest.mark.scenario("evidence", "Nothing ingested yet")
def test_an_empty_index_is_said_to_be_empty_and_not_worth_a_retry():
    decision = decide(found(), replace(ORDINAL, index_empty=True))
    assert (decision.level, decision.reason, decision.best_quality) == ("none", "empty_index", None)
    assert not decision.retry.should_retry
    assert "rag ingest" in decision.retry.hint


@pytest.mark.scenario("evidence", "A filter that lets nothing through")
def test_a_filter_that_lets_nothing_through_is_named():
    decision = decide(found(), replace(ORDINAL, filters=("lang", "tags")))
    assert (decision.level, decision.reason) == ("none", "filtered_out")
    assert "lang, tags" in decision.message
    assert "lang, tags" in decision.retry.hint
    assert decision.retry.should_retry


def test_no_match_is_told_apart_from_an_empty_index():
    decision = decide(found())
    assert (decision.level, decision.reason) == ("none", "no_match")
    assert "the index is not empty" in decision.message


@pytest.mark.scenario("evidence", "A failed channel and no hit")
@pytest.mark.parametrize("qualities", [(), (0.01,)])
def test_a_level_is_never_none_because_a_channel_failed(qualities: tuple[float, ...]):
    decision = decide(found(*qualities), replace(SIMILARITY, failed=("lexical",)))
    assert (decision.level, decision.reason) == ("low", "channel_error")
    assert "lexical channel failed" in decision.message
    assert decision.retry.should_retry


def test_good_evidence_beside_a_failed_channel_needs_no_retry():
    decision = decide(found(0.9), replace(SIMILARITY, failed=("lexical",)))
    assert (decision.level, decision.reason) == ("high", "channel_error")
    assert "better evidence may be missing" in decision.message
    assert not decision.retry.should_retry
    assert decision.retry.hint.startswith("Answer from the evidence where it does;")


def test_a_failed_channel_is_blamed_before_an_empty_index():
    decision = decide(found(), replace(ORDINAL, failed=("vector",), index_empty=True))
    assert decision.reason == "channel_error"


def test_unmatched_words_are_said_of_what_the_filters_let_through():
    facts = replace(ORDINAL, filters=("lang",), unmatched_words=("foo",))
    assert "nowhere in what the filters let through: foo" in decide(found(), facts).retry.hint


def test_a_hint_shows_eight_unmatched_words_and_the_advice_carries_all():
    words = tuple(f"w{at}" for at in range(20))
    retry = decide(found(), replace(ORDINAL, unmatched_words=words)).retry
    assert retry.unmatched_words == words
    assert "w7, …." in retry.hint
    assert "w8" not in retry.hint


def test_an_endless_word_is_shown_by_its_beginning():
    retry = decide(found(), replace(ORDINAL, unmatched_words=("x" * 4_000,))).retry
    assert f": {'x' * 39}…." in retry.hint
    assert len(retry.hint) < 200


@pytest.mark.scenario("evidence", "The third look-up that gives the same chunks")
def test_a_loop_ends_with_a_plain_statement_after_the_budget():
    """Case agent-loop: the same question three times, then paraphrases of it."""
    ledger = AttemptLedger(max_attempts=3)
    evidence = found(0.3, 0.25)
    given = ["c1", "c2"]
    outcomes = []
    for terms in (["path"], ["path"], ["path"], ["route"], ["url", "argument"]):
        attempt = ledger.record("s", terms, given, searched=200)
        facts = replace(SIMILARITY, attempt=attempt)
        outcomes.append(decide(evidence, facts))
    assert [one.retry.attempts_left for one in outcomes] == [2, 1, 0, 0, 0]
    assert [one.retry.should_retry for one in outcomes] == [True, True, False, False, False]
    assert [str(one.reason) for one in outcomes] == ["weak"] + 4 * ["no_new_evidence"]
    assert "the index gave the same 2 pieces, and nothing new" in outcomes[2].message
    assert "does not answer" in outcomes[2].retry.hint


def test_a_loop_that_finds_nothing_says_so():
    attempt = Attempt(number=3, returned=0, new=0, left=0)
    decision = decide(found(), replace(ORDINAL, attempt=attempt))
    assert (decision.reason, decision.retry.should_retry) == ("no_new_evidence", False)
    assert "gave nothing to look-up 3 of this question" in decision.message


def test_the_last_attempt_that_brought_something_new_is_exhausted():
    attempt = Attempt(number=3, returned=2, new=1, left=0)
    decision = decide(found(0.3), replace(SIMILARITY, attempt=attempt))
    assert (decision.reason, decision.retry.should_retry) == ("attempts_exhausted", False)


def test_repeating_a_well_answered_question_is_not_advised():
    attempt = Attempt(number=2, returned=2, new=0, left=1)
    decision = decide(found(0.9), replace(SIMILARITY, attempt=attempt))
    assert (decision.level, decision.reason) == ("high", "no_new_evidence")
    assert not decision.retry.should_retry


def test_a_failed_channel_stays_the_reason_while_attempts_are_left():
    facts = replace(
        SIMILARITY, failed=("lexical",), attempt=Attempt(number=2, returned=1, new=0, left=1)
    )
    decision = decide(found(0.3), facts)
    assert (decision.reason, decision.retry.should_retry) == ("channel_error", True)


def test_one_of_a_thing_is_told_in_the_singular():
    last = Attempt(number=2, returned=1, new=0, left=1)
    decision = decide(found(0.3), replace(SIMILARITY, attempt=last))
    assert "the index gave the same piece, and nothing new" in decision.message
    assert decision.retry.hint.endswith("1 look-up is left.")
    below = decide(found(0.45, floor=0.5), SIMILARITY)
    assert "the quality of the only one is below the floor" in below.message


def asks(hint: str) -> bool:
    """Whether a hint tells its reader to ask."""
    return "ask" in re.findall(r"[a-z]+", hint.lower())


@given(
    qualities=st.lists(st.floats(0, 1), max_size=4),
    floor=st.none() | st.floats(0, 1),
    basis=st.sampled_from(["ordinal", "similarity"]),
    empty=st.booleans(),
    filters=st.sampled_from([(), ("lang",)]),
    failed=st.sampled_from([(), ("lexical",), ("vector",), ("lexical", "vector")]),
    answerability=st.none()
    | st.builds(signal, st.sampled_from([0.05, 0.3, 0.9]), st.sampled_from([0.04, 0.5, 0.9])),
    budget=st.sampled_from([0, 1, 400]),
    packed=st.booleans(),
    ceiling=st.sampled_from(["low", "medium", "high"]),
    word_found=st.booleans(),
    unmatched=st.sampled_from([None, (), ("foo",)]),
    attempt=st.none()
    | st.builds(
        Attempt,
        number=st.integers(1, 5),
        returned=st.integers(0, 3),
        new=st.integers(0, 3),
        left=st.integers(0, 2),
    ),
)
@settings(max_examples=100, deadline=None)
@pytest.mark.scenario("evidence", "Advice and hint of every verdict")
def test_laws_of_every_verdict(
    qualities,
    floor,
    basis,
    empty,
    filters,
    failed,
    answerability,
    budget,
    packed,
    ceiling,
    word_found,
    unmatched,
    attempt,
):
    facts = SearchFacts(
        basis=basis,
        index_empty=empty,
        filters=filters,
        failed=failed,
        word_found=word_found,
        unmatched_words=unmatched,
        attempt=attempt,
        answerability=answerability,
    )
    processed = found(*qualities, floor=floor)
    decision = decide(processed, facts, ordinal_ceiling=ceiling)
    if not packed:
        unfit = [drop(one.rated, DropReason.OVER_BUDGET) for one in processed.evidence]
        decision = with_room_advice(decision, unfit, budget)
    assert asks(decision.retry.hint) is decision.retry.should_retry
    assert decision.reason is decision.retry.reason
    assert decision.message
    assert decision.retry.hint
    if failed:
        assert decision.level is not RelevanceLevel.NONE
    elif not processed.evidence:
        assert decision.level is RelevanceLevel.NONE
    if decision.basis == "ordinal":
        assert decision.level is not RelevanceLevel.HIGH or ceiling == "high"
        assert (decision.level is RelevanceLevel.NONE) <= (not processed.evidence)
    if attempt is not None:
        assert decision.retry.attempts_left == attempt.left
        assert not (attempt.left == 0 and decision.retry.should_retry)
    if decision.reason is GateReason.OK and packed:
        assert not decision.retry.should_retry
