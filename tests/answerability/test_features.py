"""What is read off the channel lists, in numbers that can be checked by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.answerability import answerability_features
from rag.stores.records import QueryTerm, TermReport
from tests.answerability.lists import lists, ranking, report

# Three words of idf 2, 3 and 5; the last is nowhere. The first hit holds two, the second one.
TERMS = report([(10, 2.0), (4, 3.0), (0, 5.0)], [0b011, 0b001], total=100)
LEXICAL = ranking(("a", 6.6), ("b", 2.2))
VECTOR = ranking(("b", 0.8), ("a", 0.6), ("c", 0.1))


def test_the_best_score_is_counted_in_words_as_rare_as_can_be():
    found = answerability_features(lists(LEXICAL, VECTOR, TERMS, words=3))
    rarest = math.log(100 + 1)
    evidence, known = 6.6 / 2.2 / rarest, (2 + 3) / rarest
    assert found["evidence"] == pytest.approx(math.log1p(evidence))
    assert found["known_mass"] == pytest.approx(math.log1p(known))
    assert found["excess"] == pytest.approx(math.log1p(evidence - known / 20))
    assert found["query_words"] == math.log1p(3)


def test_pairs_of_characters_are_a_share_of_the_words():
    terms = tuple(
        QueryTerm(term=term, document_frequency=1, idf=1.0)
        for term in ("tidb", "导入", "入数", "กข")
    )
    asked = TermReport(total=9, saturation=2.2, terms=terms, holds=())
    assert answerability_features(lists((), None, asked))["bigrams"] == 3 / 4
    assert answerability_features(lists(LEXICAL, VECTOR, TERMS))["bigrams"] == 0.0
    assert answerability_features(lists((), None, report([], [])))["bigrams"] == 0.0


def test_coverage_is_the_idf_mass_that_one_hit_holds():
    found = answerability_features(lists(LEXICAL, None, TERMS))
    assert found["coverage"] == (2 + 3) / 10
    assert found["whole"] == 0.0
    assert found["unknown_share"] == 5 / 10
    assert found["known_missed"] == 1 - 5 / 5
    assert found["coverage_lead"] == pytest.approx((5 - 5) / 10)  # the middle of two is the upper


def test_a_keyword_is_held_whole():
    half, most, all_of_it = (
        answerability_features(lists(LEXICAL, None, report([(1, 1.0), (1, 9.0)], [bits])))
        for bits in (0b01, 0b10, 0b11)
    )
    assert (half["whole"], all_of_it["whole"]) == (0.0, pytest.approx(1.0))
    assert most["whole"] == pytest.approx((0.9 - 0.8) / 0.2)


def test_cosines_are_compared_with_the_list_further_down():
    found = answerability_features(lists(None, VECTOR))
    assert found["best_cosine"] == 0.8
    assert found["cosine_margin"] == pytest.approx(0.8 - 0.1)


def test_agreement_is_where_the_lists_first_meet():
    found = answerability_features(lists(LEXICAL, VECTOR))
    assert found["agreement"] == 1 / 2  # a is first and second, b second and first
    assert found["overlap"] == 2 / 10
    apart = answerability_features(lists(LEXICAL, ranking(("x", 0.9))))
    assert (apart["agreement"], apart["overlap"]) == (0.0, 0.0)


def test_what_a_channel_did_not_say_is_no_feature():
    assert "coverage" not in answerability_features(lists(LEXICAL))
    assert "best_cosine" not in answerability_features(lists(LEXICAL))
    assert "score_log" not in answerability_features(lists(None, VECTOR))


def test_nothing_found_is_told_apart_from_nothing_asked():
    found = answerability_features(lists((), (), report([(0, 4.0)], []), words=1))
    assert (found["excess"], found["coverage"], found["evidence"]) == (0.0, 0.0, 0.0)
    assert (found["unknown_share"], found["known_missed"], found["best_cosine"]) == (1.0, 1.0, 0.0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True) | st.none(), max_size=60),
    st.lists(st.tuples(st.integers(0, 50), st.floats(0, 10)), max_size=8),
    st.lists(st.integers(0, 255), max_size=30),
)
def test_features_are_finite_whatever_the_scores(scores, idfs, holds):
    entries = ranking(*((f"c{at}", score) for at, score in enumerate(scores)))
    bits = [one % (1 << len(idfs)) for one in holds]
    found = answerability_features(lists(entries, entries, report(idfs, bits, total=50), words=0))
    assert all(math.isfinite(value) for value in found.values())


@pytest.mark.scenario("evaluation", "The best hit is removed")
def test_removing_chunks_closes_up_ranks_and_what_hits_hold():
    lexical = ranking(("A", 3.0), ("B", 2.0), ("C", 1.0))
    terms = report([(1, 2.0), (2, 1.0)], [0b11, 0b01, 0b10])
    without = lists(lexical, ranking(("B", 0.9), ("A", 0.8)), terms).without({"A"})
    assert without.lexical == ranking(("B", 2.0), ("C", 1.0))
    assert without.vector == ranking(("B", 0.9))
    assert without.terms is not None
    assert without.terms.holds == (0b01, 0b10)
