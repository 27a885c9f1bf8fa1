"""Post-processing drops and never moves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evidence import EvidencePostProcessor, rate_hits
from rag.evidence.records import RatedChunk
from rag.ranking import RetrievalScoreNormalizer
from rag.ranking.records import (
    Quality,
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
)
from rag.settings import EvidenceSettings
from tests.evidence.evidence_samples import chunk, ids, ranked, rated, reasons

WORDS = [f"{stem}{ending}" for stem in ("bal", "cor", "dun", "fen", "gol") for ending in "aeiou"]
TEXTS = ["A tree.", "A stone.", "A tree. ", " ".join(WORDS), " ".join(WORDS[:-1]), ""]


def post_processor(**changes: object) -> EvidencePostProcessor:
    return EvidencePostProcessor(EvidenceSettings(**changes))


@st.composite
def answers(draw: st.DrawFn) -> list[RatedChunk]:
    size = draw(st.integers(0, 12))
    return [
        rated(
            chunk(f"c{at}", draw(st.sampled_from(TEXTS)), doc=draw(st.sampled_from("abc"))),
            at + 1,
            draw(st.floats(0, 1)),
        )
        for at in range(size)
    ]


@given(answer=answers(), floor=st.none() | st.floats(0, 1), cap=st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_every_chunk_is_evidence_or_a_drop_and_both_keep_the_order(answer, floor, cap):
    processed = post_processor(per_document=cap).process(answer, min_quality=floor)
    kept, dropped = ids(processed.evidence), [drop.chunk_id for drop in processed.dropped]
    order = [piece.chunk.chunk_id for piece in answer]
    assert sorted(kept + dropped) == sorted(order)
    assert kept == [one for one in order if one in kept]
    assert dropped == [one for one in order if one in dropped]


@given(answer=answers(), floors=st.tuples(st.floats(0, 1), st.floats(0, 1)), cap=st.integers(0, 2))
@settings(max_examples=100, deadline=None)
def test_a_higher_floor_only_removes_evidence(answer, floors, cap):
    low, high = sorted(floors)
    process = post_processor(per_document=cap).process
    strict = set(ids(process(answer, min_quality=high).evidence))
    lenient = set(ids(process(answer, min_quality=low).evidence))
    assert strict <= lenient <= set(ids(process(answer).evidence))


@given(answer=answers())
@settings(max_examples=50, deadline=None)
def test_no_text_is_kept_twice(answer):
    kept = [piece.rated.chunk.text.strip() for piece in post_processor().process(answer).evidence]
    assert len(kept) == len(set(kept))


def _hits(label: ScoreLabel) -> list[SearchHit]:
    texts = ["alpha", "beta", "alpha", "gamma"]
    return [
        SearchHit(
            chunk=chunk(f"c{at}", text),
            rank=at + 1,
            score=0.5,
            score_label=label,
            score_kind=ScoreKind.RRF if label is ScoreLabel.HYBRID else ScoreKind.COSINE,
            retrieval=RetrievalDetail(method="hybrid"),
        )
        for at, text in enumerate(texts)
    ]


@pytest.mark.scenario("evidence", "Relabelled hits")
def test_relabelled_hits_give_equal_evidence():
    qualities = [Quality(value=value) for value in (0.9, 0.6, 0.5, 0.3)]
    process = post_processor(min_quality=0.5).process
    dense, hybrid = (process(rate_hits(_hits(label), qualities)) for label in ScoreLabel)
    assert dense == hybrid
    assert ids(dense.evidence) == ["c0", "c1"]
    assert reasons(dense.dropped) == {"c2": "duplicate_of", "c3": "below_quality"}


def test_a_rated_chunk_has_no_label_to_look_at():
    assert not {"score", "score_label", "score_kind"} & set(RatedChunk.__dataclass_fields__)


def test_every_hit_needs_exactly_one_quality():
    with pytest.raises(ValueError, match="argument"):
        rate_hits(_hits(ScoreLabel.DENSE), [Quality(value=1.0)])


@pytest.mark.scenario("evidence", "A keyword match does not move a hit")
def test_a_keyword_match_does_not_move_a_hit():
    answer = ranked([chunk("a", "Nothing of note."), chunk("b", "path parameter types")])
    assert ids(post_processor().process(answer).evidence) == ["a", "b"]


@pytest.mark.scenario("evidence", "A floor of zero keeps a quality of zero")
def test_a_floor_of_zero_is_a_floor_that_a_quality_of_zero_reaches():
    hit = SearchHit(
        chunk=chunk("a", "far away"),
        rank=1,
        score=-0.5,
        score_label=ScoreLabel.DENSE,
        score_kind=ScoreKind.COSINE,
        retrieval=RetrievalDetail(method="vector", vector_score=-0.5),
    )
    qualities = RetrievalScoreNormalizer().to_quality_scores([hit])
    processed = post_processor(min_quality=0.0).process(rate_hits([hit], qualities))
    (kept,) = processed.evidence
    assert (kept.rated.quality, processed.floor) == (0.0, 0.0)
    assert kept.rated.retrieval is not None
    assert kept.rated.retrieval.vector_score == -0.5


def test_without_a_floor_nothing_is_below_it():
    processed = post_processor().process([rated(chunk("a", "x"), 1, 0.0)])
    assert (ids(processed.evidence), processed.floor) == (["a"], None)


def test_a_floor_of_a_call_takes_the_place_of_the_setting():
    answer = ranked([chunk("a", "x"), chunk("b", "y")])
    assert ids(post_processor(min_quality=0.9).process(answer, min_quality=0.0).evidence) == [
        "a",
        "b",
    ]


def test_missing_raw_scores_change_nothing_in_a_fused_answer():
    """Case score-missing: quality comes from rank, and the missing score stays missing."""
    hits = [
        SearchHit(
            chunk=chunk(name, name),
            rank=rank,
            score=score,
            score_label=ScoreLabel.HYBRID,
            score_kind=ScoreKind.RRF,
            retrieval=RetrievalDetail(method="hybrid", fusion_score=score),
        )
        for rank, (name, score) in enumerate([("a", None), ("b", 0.02)], start=1)
    ]
    qualities = RetrievalScoreNormalizer().to_quality_scores(hits)
    kept = post_processor().process(rate_hits(hits, qualities)).evidence
    assert [(piece.rated.quality) for piece in kept] == [1.0, 1 - 1 / 2]
    assert kept[0].rated.retrieval is not None
    assert kept[0].rated.retrieval.fusion_score is None


@pytest.mark.scenario("evidence", "The same text in two documents")
def test_the_same_text_in_two_documents_is_one_piece_that_cites_both():
    answer = ranked([chunk(f"c{rank}", f"text {rank}", doc=f"d{rank}") for rank in range(1, 8)])
    first = chunk("a3", "The same text.", doc="A", uri="a.pdf", lines=(3, 3))
    again = chunk("b9", "The same text.\n", doc="B", uri="b.pdf", lines=(9, 9))
    answer[0], answer[6] = rated(first, 1, 1.0), rated(again, 7, 1 / 7)
    processed = post_processor().process(answer)
    best = processed.evidence[0]
    assert best.rated.chunk is first
    assert [(one.ref, one.chunk_id) for one in best.also_in] == [("b.pdf#L9", "b9")]
    (drop,) = processed.dropped
    assert (drop.chunk_id, str(drop.reason), drop.of) == ("b9", "duplicate_of", "a3")


def test_the_same_chunk_twice_is_one_piece():
    one = chunk("a", "text")
    processed = post_processor().process(ranked([one, one]))
    assert (ids(processed.evidence), len(processed.dropped)) == (["a"], 1)


@pytest.mark.scenario("evidence", "Three chunks of one document under a cap of two")
def test_the_cap_of_a_document_keeps_its_best_ranked_chunks():
    answer = ranked([chunk(f"c{at}", f"text {at}", doc="A") for at in range(3)])
    processed = post_processor(per_document=2).process(answer)
    assert ids(processed.evidence) == ["c0", "c1"]
    assert reasons(processed.dropped) == {"c2": "per_document_cap"}


def test_a_chunk_over_the_cap_does_not_hide_the_same_text_elsewhere():
    answer = ranked([chunk("a", "x", doc="A"), chunk("b", "y", doc="A"), chunk("c", "y", doc="B")])
    assert ids(post_processor(per_document=1).process(answer).evidence) == ["a", "c"]


@pytest.mark.scenario("evidence", "Every hit below the floor")
def test_what_is_below_the_floor_is_reported_as_that_whatever_else_it_is():
    answer = [rated(chunk(name, "same"), rank, 0.3) for rank, name in enumerate("abc", start=1)]
    processed = post_processor(min_quality=0.5).process(answer)
    assert processed.evidence == ()
    assert set(reasons(processed.dropped).values()) == {"below_quality"}
