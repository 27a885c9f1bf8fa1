"""The verdict that a calibrated probability gives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag.evidence import EvidencePostProcessor, RelevanceGate
from rag.evidence.answerability_verdict import level_of
from rag.evidence.drop_record import drop
from rag.evidence.records import DropReason, RelevanceDecision, SearchFacts
from rag.settings import EvidenceSettings, GateSettings
from rag.tool.room_advice import with_room_advice
from tests.answerability.lists import signal
from tests.evidence.evidence_samples import chunk, rated

GATE = RelevanceGate(GateSettings())
PIECES = [rated(chunk(f"c{at}", f"text {at}"), at, 1 / at) for at in (1, 2)]


def decide(on_topic: float, probability: float, **facts: object) -> RelevanceDecision:
    processed = EvidencePostProcessor(EvidenceSettings()).process(PIECES)
    given = SearchFacts(
        basis="ordinal", answerability=signal(on_topic, probability), covers=("Tea",)
    )
    return GATE.decide(processed, replace(given, **facts))


@pytest.mark.scenario("calibration", "Levels by cut-points")
@pytest.mark.parametrize(
    ("on_topic", "probability", "level", "reason", "retry"),
    [
        (0.05, 0.04, "none", "off_topic", False),
        (0.3, 0.29, "low", "off_topic", False),
        (0.9, 0.2, "low", "weak", True),
        (0.9, 0.5, "medium", "ok", False),
        (0.9, 0.8, "high", "ok", False),
        (0.1, 0.09, "low", "off_topic", False),  # at the cut it is no longer none
        (0.9, 0.3, "medium", "ok", False),
        (0.9, 0.7, "high", "ok", False),
    ],
)
def test_levels_come_from_the_profile_s_cut_points(on_topic, probability, level, reason, retry):
    decision = decide(on_topic, probability)
    assert (decision.level, decision.reason) == (level, reason)
    assert decision.level == level_of(signal(on_topic, probability))
    assert (decision.basis, decision.best_quality) == ("calibrated", 1.0)
    assert decision.retry.should_retry is retry
    assert "calibrated" in decision.message


def test_off_the_topic_the_hint_says_what_the_base_is_about():
    assert "Other words will not help" in decide(0.05, 0.01).retry.hint
    assert "mostly about: Tea." in decide(0.05, 0.01).retry.hint
    assert "probably does not cover" in decide(0.3, 0.2).retry.hint


def test_off_the_topic_of_a_filter_it_is_worth_asking_without():
    decision = decide(0.05, 0.01, filters=("tags",))
    assert (decision.level, decision.reason) == ("none", "off_topic")
    assert decision.retry.should_retry is True
    assert "tags" in decision.retry.hint
    assert "what the filters let through answers" in decision.message  # and not the base


@pytest.mark.scenario("calibration", "On topic but probably unanswered")
def test_a_weak_answer_is_worth_another_try_with_the_words_that_matched_nothing():
    decision = decide(0.9, 0.2, unmatched_words=("zebra",))
    assert (decision.level, decision.retry.should_retry) == ("low", True)
    assert "zebra" in decision.retry.hint
    assert decision.retry.unmatched_words == ("zebra",)


def test_a_failed_channel_leaves_the_level_to_the_ranks():
    decision = decide(0.05, 0.01, failed=("lexical",))
    assert (decision.basis, decision.reason) == ("ordinal", "channel_error")
    assert decision.level != "none"


def test_an_empty_index_is_an_empty_index():
    processed = EvidencePostProcessor(EvidenceSettings()).process([])
    facts = SearchFacts(basis="ordinal", index_empty=True, answerability=signal(0.01, 0.0))
    assert GATE.decide(processed, facts).reason == "empty_index"


def test_nothing_found_and_off_the_topic_is_no_reason_to_ask_again():
    processed = EvidencePostProcessor(EvidenceSettings()).process([])
    decision = GATE.decide(processed, SearchFacts(basis="ordinal", answerability=signal(0.01, 0.0)))
    assert (decision.level, decision.reason, decision.best_quality) == ("none", "off_topic", None)
    assert decision.retry.should_retry is False


@pytest.mark.parametrize("on_topic", [0.05, 0.3])
def test_what_does_not_cover_a_question_is_not_worth_a_larger_budget(on_topic: float):
    decision = decide(on_topic, 0.04)
    unfit = [drop(one, DropReason.OVER_BUDGET) for one in PIECES]
    advised = with_room_advice(decision, unfit, 5)
    assert advised.retry == decision.retry
    assert advised.message.endswith("None of the 2 pieces found fits the budget of 5 tokens.")


def test_nothing_found_and_perhaps_off_the_topic_is_no_match():
    """There is no evidence that could be used with care, as the advice of ``low`` would have it."""
    processed = EvidencePostProcessor(EvidenceSettings()).process([])
    decision = GATE.decide(processed, SearchFacts(basis="ordinal", answerability=signal(0.3, 0.2)))
    assert (decision.level, decision.reason) == ("none", "no_match")
    assert decision.retry.should_retry is True


@pytest.mark.parametrize(
    ("filters", "reason", "retry"),
    [((), "off_topic", False), (("tenant",), "off_topic", True), (("tags",), "filtered_out", True)],
)
def test_where_filters_left_nothing_the_filters_are_named_and_not_the_base(filters, reason, retry):
    nothing = EvidencePostProcessor(EvidenceSettings()).process([])
    facts = SearchFacts(basis="ordinal", answerability=signal(0.05, 0.01), filters=filters)
    decision = GATE.decide(nothing, facts)
    assert (decision.level, decision.reason) == ("none", reason)
    assert decision.retry.should_retry is retry


def test_where_the_floor_left_nothing_the_floor_is_named():
    processed = EvidencePostProcessor(EvidenceSettings()).process(PIECES[1:], min_quality=0.9)
    decision = GATE.decide(
        processed, SearchFacts(basis="ordinal", answerability=signal(0.05, 0.01))
    )
    assert (decision.reason, decision.best_quality) == ("below_threshold", 0.5)
