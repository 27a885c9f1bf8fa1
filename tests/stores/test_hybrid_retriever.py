"""Two canned channels, one ranking; no engine."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import (
    DeadlineExceededError,
    IndexIdentityMismatchError,
    RetrievalError,
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreNotInitialisedError,
    StoreTimeoutError,
    StoreUnreachableError,
)
from rag.ranking import (
    Channel,
    ReciprocalRankFusion,
    RetrievalScoreNormalizer,
    ScoreKind,
    ScoreLabel,
    SearchHit,
    SearchMode,
    StoredChunk,
)
from rag.stores.filters import SearchFilter
from rag.stores.hybrid_retriever import HybridRetriever
from rag.stores.records import ChannelStatus, StoreQuery
from rag.testing.canned_retriever import CannedRetriever, canned_chunk
from rag.text import Snippet

LEXICAL, VECTOR = Channel.LEXICAL, Channel.VECTOR
BEST = 2 / 61
UNIT = np.array([1.0, 0.0], dtype=np.float32)

Row = tuple[StoredChunk, float | None]


def lexical(*rows: Row, **options: object) -> CannedRetriever:
    return CannedRetriever(LEXICAL, rows, **options)  # type: ignore[arg-type]  # passed on as given


def vector(*rows: Row, **options: object) -> CannedRetriever:
    return CannedRetriever(VECTOR, rows, **options)  # type: ignore[arg-type]  # passed on as given


def hybrid(
    words: CannedRetriever | None, dense: CannedRetriever | None, *, parallel: bool = False
) -> HybridRetriever:
    return HybridRetriever(words, dense, ReciprocalRankFusion(), parallel=parallel)


def query(mode: str = "hybrid", **changes: object) -> StoreQuery:
    facts: dict[str, object] = {"text": "q", "mode": SearchMode(mode), "vector": UNIT, **changes}
    return StoreQuery(**facts)  # type: ignore[arg-type]  # a test's shorthand


def titles(hits: Sequence[SearchHit]) -> list[str]:
    return [hit.chunk.title for hit in hits]


def ranks(hits: Sequence[SearchHit]) -> list[int]:
    return [hit.rank for hit in hits]


A, B, C, D = (canned_chunk(name) for name in "abcd")


# What a hit says


@pytest.mark.scenario("score-quality", "Each mode has its label and kind")
def test_each_mode_has_its_label_kind_and_raw_score():
    both = hybrid(lexical((A, 7.5)), vector((A, 0.25)))
    said = {
        mode: [(h.score_label, h.score_kind, h.score) for h in both.search(query(mode))]
        for mode in ("lexical", "vector", "hybrid")
    }
    assert said == {
        "lexical": [(ScoreLabel.HYBRID, ScoreKind.BM25, 7.5)],
        "vector": [(ScoreLabel.DENSE, ScoreKind.COSINE, 0.25)],
        "hybrid": [(ScoreLabel.HYBRID, ScoreKind.RRF, 1.0)],
    }


def test_single_modes_pass_the_channels_own_hits_on_untouched():
    words, dense = lexical((A, 7.5), (B, 2.0)), vector((B, 0.5), (A, 0.25))
    both = hybrid(words, dense)
    assert both.search(query("lexical")) == words.search(query())
    assert both.search(query("vector")) == dense.search(query())


def test_a_single_mode_asks_its_own_channel_alone():
    words, dense = lexical((A, 7.5)), vector((B, 0.5))
    found = hybrid(words, dense).search_with_trace(query("lexical"))
    assert (len(words.queries), len(dense.queries)) == (1, 0)
    assert found.channels[VECTOR].status is ChannelStatus.OFF


@pytest.mark.scenario("score-quality", "Three different numbers")
def test_fused_lexical_and_vector_score_are_three_numbers():
    both = hybrid(lexical((A, 4.5)), vector((B, 0.9), (A, 0.2)))
    first = both.search(query())[0]
    assert first.chunk == A
    detail = first.retrieval
    assert detail.method == "hybrid"
    assert detail.fusion_score == first.score == (1 / 61 + 1 / 62) / BEST
    assert (detail.lexical_score, detail.lexical_rank) == (4.5, 1)
    assert (detail.vector_score, detail.vector_rank) == (0.2, 2)


def test_what_a_channel_did_not_return_is_null():
    _, only_vector = hybrid(lexical((A, 4.5)), vector((B, 0.9))).search(query())
    assert only_vector.retrieval.lexical_score is None
    assert only_vector.retrieval.lexical_rank is None
    assert only_vector.score == 0.5


def test_a_chunk_that_says_exactly_the_query_is_first_in_everything():
    both = hybrid(lexical((A, 3.0), (B, 1.0)), vector((A, 0.9999999), (B, 0.3)))
    first = both.search(query())[0]
    assert first.score == 1.0
    assert (first.retrieval.lexical_rank, first.retrieval.vector_rank) == (1, 1)
    assert first.retrieval.vector_score == pytest.approx(1.0)
    assert first.retrieval.lexical_score == 3.0


@pytest.mark.scenario("retrieval", "Snippets of both channels")
def test_a_chunk_found_by_both_keeps_the_lexical_snippet_and_the_vectors_provenance():
    of_words = Snippet(text="Text", start=0, end=4, matches=((0, 4),))
    of_vector = Snippet(text="Text of a.", start=0, end=10)
    both = hybrid(
        lexical((A, 4.5), snippets={A.chunk_id: of_words}),
        vector((A, 0.2), (B, 0.1), snippets={A.chunk_id: of_vector, B.chunk_id: of_vector}),
    )
    by_both, by_vector = both.search(query())
    assert by_both.snippet is of_words
    assert (by_both.retrieval.vector_score, by_both.retrieval.vector_rank) == (0.2, 1)
    assert by_vector.snippet is of_vector


def test_a_null_score_of_a_channel_is_carried_as_null():
    first, *_ = hybrid(lexical((A, None), (B, 1.0)), vector()).search(query())
    assert first.chunk == A
    assert first.retrieval.lexical_score is None
    assert first.retrieval.lexical_rank == 1


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_nonfinite_channel_score_does_not_disturb_the_order(score: float):
    hits = hybrid(lexical((A, 2.0), (B, 1.0)), vector((A, score), (B, 0.5))).search(query())
    assert titles(hits) == ["a", "b"]
    assert all(hit.score is not None and math.isfinite(hit.score) for hit in hits)


# Which channels are asked


@pytest.mark.scenario("retrieval", "Query of punctuation")
def test_a_query_without_words_runs_on_vectors_alone():
    words, dense = lexical((A, 1.0), terms=False), vector((B, 0.5), (A, 0.25))
    found = hybrid(words, dense).search_with_trace(query(text="?!"))
    assert words.queries == []
    assert found.channels[LEXICAL].status is ChannelStatus.NO_TERMS
    assert [(h.score_label, h.score_kind, h.score) for h in found.hits] == [
        (ScoreLabel.HYBRID, ScoreKind.RRF, 1.0),
        (ScoreLabel.HYBRID, ScoreKind.RRF, (1 / 62) / (1 / 61)),
    ]


@pytest.mark.parametrize("status", [ChannelStatus.OFF, ChannelStatus.NOT_COVERED])
def test_without_a_query_vector_words_run_alone_and_the_report_says_why(status: ChannelStatus):
    words, dense = lexical((A, 4.0), (B, 2.0)), vector((B, 0.5))
    found = hybrid(words, dense).search_with_trace(query(vector=None, vector_status=status))
    assert dense.queries == []
    assert found.channels[VECTOR].status is status
    assert [(h.score_label, h.score_kind) for h in found.hits] == [
        (ScoreLabel.HYBRID, ScoreKind.RRF)
    ] * 2
    assert [h.score for h in found.hits] == [1.0, (1 / 62) / (1 / 61)]


def test_when_no_channel_can_be_asked_the_answer_is_empty_and_says_so():
    found = hybrid(lexical(terms=False), vector()).search_with_trace(
        query(vector=None, vector_status=ChannelStatus.NOT_COVERED)
    )
    assert (found.hits, found.total) == ((), 0)
    assert found.channels[LEXICAL].status is ChannelStatus.NO_TERMS
    assert found.channels[VECTOR].status is ChannelStatus.NOT_COVERED


def test_a_missing_vector_without_a_reason_is_a_fault_of_the_caller():
    with pytest.raises(ValueError, match="vector_status"):
        hybrid(lexical(), vector()).search(query(vector=None))


def test_a_store_may_lack_a_channel():
    found = hybrid(None, vector((A, 0.5))).search_with_trace(query())
    assert found.channels[LEXICAL].status is ChannelStatus.OFF
    assert titles(found.hits) == ["a"]


@pytest.mark.scenario("retrieval", "Words that occur nowhere")
def test_an_empty_lexical_ranking_counts_and_dense_hits_stay_labelled_hybrid():
    found = hybrid(lexical(), vector((A, 0.5), (B, 0.25))).search_with_trace(query())
    report = found.channels[LEXICAL]
    assert (report.status, report.count) == (ChannelStatus.OK, 0)
    assert {hit.score_label for hit in found.hits} == {ScoreLabel.HYBRID}
    assert found.hits[0].score == 0.5


# Channels that fail


@pytest.mark.scenario("retrieval", "Lexical channel fails")
@pytest.mark.parametrize("parallel", [False, True])
def test_when_words_fail_dense_hits_are_served_as_dense(parallel: bool):
    words = lexical(error=StoreUnreachableError("the words are gone"))
    both = hybrid(words, vector((A, 0.5), (B, 0.25)), parallel=parallel)
    found = both.search_with_trace(query())
    both.close()
    report = found.channels[LEXICAL]
    assert (report.status, report.detail, report.error_code) == (
        ChannelStatus.ERROR,
        "the words are gone",
        "store_unreachable",
    )
    assert [(h.score_label, h.score_kind, h.score) for h in found.hits] == [
        (ScoreLabel.DENSE, ScoreKind.COSINE, 0.5),
        (ScoreLabel.DENSE, ScoreKind.COSINE, 0.25),
    ]


@pytest.mark.scenario("retrieval", "Vector channel times out")
def test_when_vectors_time_out_lexical_hits_are_served_as_bm25(caplog: pytest.LogCaptureFixture):
    dense = vector(error=StoreTimeoutError("too slow"))
    with caplog.at_level(logging.WARNING, logger="rag"):
        found = hybrid(lexical((A, 4.0)), dense).search_with_trace(query())
    (record,) = caplog.records
    assert "channel='vector' code='store_timeout' message='too slow'" in record.getMessage()
    assert found.channels[VECTOR].status is ChannelStatus.TIMEOUT
    assert [(h.score_label, h.score_kind, h.score) for h in found.hits] == [
        (ScoreLabel.HYBRID, ScoreKind.BM25, 4.0)
    ]


def test_a_query_that_could_not_be_embedded_degrades_like_a_failed_channel():
    found = hybrid(lexical((A, 4.0)), vector()).search_with_trace(
        query(vector=None, vector_status=ChannelStatus.ERROR)
    )
    assert found.channels[VECTOR].status is ChannelStatus.ERROR
    assert found.hits[0].score_kind is ScoreKind.BM25


def test_the_label_stays_truthful_when_a_channel_dies_during_a_run():
    words, dense = lexical((A, 4.0)), vector((A, 0.5))
    both = hybrid(words, dense)
    kinds = []
    for error in (None, StoreError("disk on fire"), None):
        words.error = error
        kinds.append([(h.score_label, h.score_kind) for h in both.search(query())])
    whole = [(ScoreLabel.HYBRID, ScoreKind.RRF)]
    assert kinds == [whole, [(ScoreLabel.DENSE, ScoreKind.COSINE)], whole]


@pytest.mark.scenario("retrieval", "Both channels fail")
@pytest.mark.parametrize("parallel", [False, True])
def test_both_channels_down_is_an_error_with_both_causes(parallel: bool):
    both = hybrid(
        lexical(error=StoreError("no words")),
        vector(error=StoreUnreachableError("no server", hint="start it")),
        parallel=parallel,
    )
    with pytest.raises(RetrievalError, match="lexical: no words; vector: no server") as caught:
        both.search(query())
    both.close()
    assert caught.value.code == "retrieval_failed"
    assert caught.value.hint == "start it"
    causes = caught.value.details["causes"]
    assert (causes["lexical"]["code"], causes["vector"]["code"]) == (
        "store_failed",
        "store_unreachable",
    )


@pytest.mark.scenario("retrieval", "Both channels find the store damaged")
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_damage_has_one_code_however_many_channels_met_it(mode: str):
    broken = StoreDamagedError("the file is broken", given="base", hint="run: rag doctor --repair")
    with pytest.raises(StoreDamagedError, match=r"^the file is broken$") as caught:
        hybrid(lexical(error=broken), vector(error=broken)).search(query(mode))
    assert (caught.value.given, caught.value.hint) == ("base", "run: rag doctor --repair")
    other = StoreDamagedError("a page is gone")
    with pytest.raises(StoreDamagedError, match="lexical: the file is broken; vector: a page"):
        hybrid(lexical(error=broken), vector(error=other)).search(query())


def test_both_channels_out_of_time_is_an_exceeded_deadline():
    late = StoreTimeoutError("late")
    with pytest.raises(DeadlineExceededError):
        hybrid(lexical(error=late), vector(error=late)).search(query())


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_the_only_channel_asked_fails_with_its_own_error(mode: str):
    words = lexical(error=StoreUnreachableError("no server"))
    with pytest.raises(StoreUnreachableError, match="no server"):
        hybrid(words, None).search(query(mode))


@pytest.mark.scenario("retrieval", "Wrong model is not degraded")
@pytest.mark.parametrize(
    "error",
    [
        IndexIdentityMismatchError("built with model A, opened with model B"),
        StoreLockedError("held by another process"),
        StoreNotInitialisedError("nothing here yet"),
    ],
)
@pytest.mark.parametrize("parallel", [False, True])
def test_what_is_true_of_the_whole_store_is_never_half_an_answer(error: StoreError, parallel: bool):
    both = hybrid(lexical((A, 1.0)), vector(error=error), parallel=parallel)
    with pytest.raises(type(error)):
        both.search(query())
    both.close()


def test_what_one_channel_used_up_is_not_given_to_the_other():
    words, dense = lexical((A, 1.0)), vector((A, 0.5))
    hybrid(words, dense).search(query(timeout_s=5.0))
    assert words.queries[0].timeout_s == 5.0
    left = dense.queries[0].timeout_s
    assert left is not None
    assert 0 < left < 5.0


def test_a_channel_is_not_asked_when_no_time_is_left():
    words, dense = lexical((A, 1.0)), vector((A, 0.5))
    found = hybrid(words, dense).search_with_trace(query(timeout_s=0.0))
    assert dense.queries == []
    assert found.channels[VECTOR].status is ChannelStatus.TIMEOUT
    assert found.hits[0].score_kind is ScoreKind.BM25


def test_in_parallel_a_channel_that_hangs_is_left_behind():
    release = threading.Event()

    class Hanging(CannedRetriever):
        def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
            release.wait(30)
            return super().search(query)

    both = hybrid(lexical((A, 1.0)), Hanging(VECTOR, [(A, 0.5)]), parallel=True)
    found = both.search_with_trace(query(timeout_s=0.4))
    release.set()
    both.close()
    assert found.channels[VECTOR].status is ChannelStatus.TIMEOUT
    assert found.hits[0].score_kind is ScoreKind.BM25


def test_parallel_and_sequential_give_the_same_answer():
    words, dense = lexical((A, 4.0), (B, 2.0)), vector((C, 0.5), (A, 0.4))
    at_once = hybrid(words, dense, parallel=True)
    assert at_once.search(query(timeout_s=60.0)) == hybrid(words, dense).search(query())
    at_once.close()


# Index versions


@pytest.mark.scenario("retrieval", "Index versions differ")
def test_different_index_versions_are_warned_of_once(caplog: pytest.LogCaptureFixture):
    both = hybrid(lexical((A, 1.0), index_version="a"), vector((A, 0.5), index_version="b"))
    with caplog.at_level(logging.WARNING, logger="rag"):
        answers = [both.search(query()) for _ in range(3)]
    assert [titles(hits) for hits in answers] == [["a"]] * 3
    (record,) = caplog.records
    assert "lexical='a' vector='b'" in record.getMessage()


def test_equal_index_versions_are_not_spoken_of(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.WARNING, logger="rag"):
        hybrid(lexical((A, 1.0)), vector((A, 0.5))).search(query())
    assert caplog.records == []


# What may be ranked


@pytest.mark.scenario("retrieval", "Rank does not depend on what the caller may not see")
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_rank_and_quality_do_not_depend_on_chunks_of_another_tenant(mode: str):
    theirs = canned_chunk("theirs", tenant="b")
    ours = [canned_chunk(name, tenant="a") for name in ("first", "second")]
    rows: list[Row] = [(theirs, 0.9), (ours[0], 0.5), (ours[1], 0.25)]
    hits = hybrid(lexical(*rows), vector(*rows)).search(
        query(mode, filters=SearchFilter(tenant="a"))
    )
    assert [(h.chunk.title, h.rank) for h in hits] == [("first", 1), ("second", 2)]
    if mode != "vector":
        rated = RetrievalScoreNormalizer().to_quality_scores(hits)
        assert [quality.value for quality in rated] == [1.0, 0.5]


@pytest.mark.scenario("retrieval", "Engine that ignores the filter")
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_the_filter_is_checked_again_and_what_slipped_through_is_logged(
    mode: str, caplog: pytest.LogCaptureFixture
):
    names = {"a1": "a", "b1": "b", "a2": "a", "b2": "b", "a3": "a"}
    rows = [(canned_chunk(name, tenant=tenant), 1.0) for name, tenant in names.items()]
    both = hybrid(lexical(*rows, filtering=False), vector(*rows, filtering=False))
    with caplog.at_level(logging.ERROR, logger="rag"):
        found = both.search_with_trace(query(mode, filters=SearchFilter(tenant="a")))
    assert titles(found.hits) == ["a1", "a2", "a3"]
    assert ranks(found.hits) == [1, 2, 3]
    assert found.total == 3
    ours = {hit.chunk.chunk_id for hit in found.hits}
    for report in found.channels.values():
        assert {entry.chunk_id for entry in report.ranking} <= ours
        assert [entry.rank for entry in report.ranking] == list(range(1, report.count + 1))
    for hit in found.hits:
        assert {hit.retrieval.lexical_rank, hit.retrieval.vector_rank} <= {hit.rank, None}
    assert all("filter excludes" in record.getMessage() for record in caplog.records)
    assert len(caplog.records) == (2 if mode == "hybrid" else 1)


@pytest.mark.scenario("retrieval", "Two generations of a document")
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_where_two_generations_meet_the_older_is_left_out_before_ranks_are_given(mode: str):
    old = canned_chunk("old", doc_id=A.doc_id, generation=1)
    new = canned_chunk("new", doc_id=A.doc_id, generation=2)
    rows: list[Row] = [(old, 0.9), (new, 0.5), (B, 0.25)]
    found = hybrid(lexical(*rows), vector(*rows)).search_with_trace(query(mode))
    assert [(h.chunk.title, h.rank) for h in found.hits] == [("new", 1), ("b", 2)]
    assert (found.ghosts, found.total) == (1, 2)
    assert found.response("r1").ghosts == 1


def test_a_newer_generation_in_one_channel_rules_out_the_older_in_the_other():
    old = canned_chunk("old", doc_id=A.doc_id, generation=1)
    new = canned_chunk("new", doc_id=A.doc_id, generation=2)
    found = hybrid(lexical((old, 2.0), (B, 1.0)), vector((new, 0.5))).search_with_trace(query())
    assert sorted(titles(found.hits)) == ["b", "new"]
    assert found.channels[LEXICAL].count == 1


@pytest.mark.scenario("retrieval", "Same chunk twice in one channel")
def test_a_chunk_returned_twice_is_one_hit_and_the_list_is_filled_from_the_rest():
    chunks = [canned_chunk(str(number)) for number in range(5)]
    rows = [(chunks[0], 0.0), (chunks[0], -0.1), *((chunk, -0.2) for chunk in chunks[1:])]
    for mode in ("lexical", "vector", "hybrid"):
        hits = hybrid(lexical(*rows), vector(*rows)).search_with_trace(query(mode, k=5)).hits
        assert titles(hits) == list("01234")
        assert ranks(hits) == [1, 2, 3, 4, 5]
        detail = hits[0].retrieval
        assert {detail.lexical_score, detail.vector_score} <= {0.0, None}


@pytest.mark.scenario("retrieval", "Foreign ids")
@pytest.mark.parametrize(
    "foreign", ["4", "4" * 31, "4" * 33, "A" * 32, "8b1c5d1e-7e0a-4c6f-9d52-0c7d6a1f2b3c", ""]
)
@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_foreign_id_raises_and_is_not_taken_for_a_failed_channel(foreign: str, mode: str):
    both = hybrid(lexical((A, 1.0)), vector((canned_chunk("x", chunk_id=foreign), 0.5)))
    with pytest.raises(StoreDamagedError, match="the vector channel") as caught:
        both.search(query(mode))
    assert repr(foreign) in caught.value.message


FOREIGN_VALUES = [4, None, b"4" * 32, 4.0, True, ("4" * 32,), object()]


@pytest.mark.scenario("retrieval", "Values of foreign types")
@pytest.mark.parametrize("field", ["chunk_id", "doc_id", "content_hash", "generation"])
@pytest.mark.parametrize("value", FOREIGN_VALUES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_a_value_of_a_foreign_type_is_damage(field: str, value: object, mode: str):
    if type(value) is type(getattr(A, field)):
        return
    odd = replace(A, **{field: value})  # type: ignore[arg-type]  # which is the point
    both = hybrid(lexical((B, 2.0), (odd, 1.0)), vector((B, 0.9), (odd, 0.5)))
    with pytest.raises(StoreDamagedError, match="channel returned the") as caught:
        both.search(query(mode))
    assert caught.value.hint
    assert field.split("_")[-1] in caught.value.message
    caught.value.to_wire()


@pytest.mark.scenario("retrieval", "Values of foreign types")
@pytest.mark.parametrize("rank", [1.0, "1", None, True])
def test_a_rank_of_a_foreign_type_is_damage(rank: object):
    class Odd(CannedRetriever):
        def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
            (hit,) = super().search(query)
            return (replace(hit, rank=rank),)  # type: ignore[arg-type]  # which is the point

    with pytest.raises(StoreDamagedError, match="the rank"):
        hybrid(None, Odd(VECTOR, [(A, 0.5)])).search(query())


@pytest.mark.scenario("retrieval", "Channels disagree about a chunk")
def test_two_contents_under_one_id_raise():
    other = canned_chunk("a", text="something else")
    with pytest.raises(StoreDamagedError, match=A.chunk_id):
        hybrid(lexical((A, 1.0)), vector((other, 0.5))).search(query())
    with pytest.raises(StoreDamagedError, match=A.chunk_id):
        hybrid(lexical((A, 1.0), (other, 0.5)), vector()).search(query())


def test_ranks_with_gaps_are_a_fault_of_the_retriever():
    class Gapped(CannedRetriever):
        def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
            return super().search(query)[1:]

    with pytest.raises(ValueError, match="rank 2 at place 1"):
        hybrid(None, Gapped(VECTOR, [(A, 0.5), (B, 0.4)])).search(query())


# Pages


@pytest.mark.scenario("retrieval", "Three of ten")
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_a_smaller_k_gives_the_first_hits_of_a_larger(mode: str):
    chunks = [canned_chunk(str(number)) for number in range(50)]
    both = hybrid(
        lexical(*((chunk, 50.0 - i) for i, chunk in enumerate(chunks))),
        vector(*((chunk, 1.0 / i) for i, chunk in enumerate(chunks[::-3], 1))),
    )
    ten = both.search_with_trace(query(mode, k=10)).hits
    assert both.search_with_trace(query(mode, k=3)).hits == ten[:3]
    assert len(ten) == 10


@settings(max_examples=50, deadline=None)
@given(
    words=st.lists(st.sampled_from("abcdefghij"), unique=True),
    dense=st.lists(st.sampled_from("abcdefghij"), unique=True),
    k=st.integers(1, 5),
    mode=st.sampled_from(["lexical", "vector", "hybrid"]),
)
def test_pages_joined_are_the_whole_ranking(words: str, dense: str, k: int, mode: str):
    both = hybrid(
        lexical(*((canned_chunk(name), 1.0) for name in words)),
        vector(*((canned_chunk(name), 0.5) for name in dense)),
    )
    whole = both.search(query(mode))
    pages = [
        both.search_with_trace(query(mode, k=k, offset=offset))
        for offset in range(0, len(whole) + k, k)
    ]
    assert tuple(hit for page in pages for hit in page.hits) == whole
    assert {page.total for page in pages} == {len(whole)}
    assert ranks(whole) == list(range(1, len(whole) + 1))


def test_the_trace_holds_every_candidate_and_the_whole_fused_ranking():
    found = hybrid(lexical((A, 4.0), (B, 2.0)), vector((C, 0.5), (A, 0.4))).search_with_trace(
        query(k=1)
    )
    assert titles(found.hits) == ["a"]
    assert [e.score for e in found.channels[LEXICAL].ranking] == [4.0, 2.0]
    assert [e.score for e in found.channels[VECTOR].ranking] == [0.5, 0.4]
    assert len(found.fused) == found.total == 3


def test_the_order_of_the_whole_is_that_of_the_formula():
    hits = hybrid(
        lexical((A, 4.0), (B, 2.0), (C, 1.0)), vector((D, 0.9), (C, 0.8), (B, 0.7))
    ).search(query())
    assert [(h.chunk.title, h.score) for h in hits] == [
        ("b", (1 / 62 + 1 / 63) / BEST),
        ("c", (1 / 63 + 1 / 62) / BEST),
        ("a", (1 / 61) / BEST),
        ("d", (1 / 61) / BEST),
    ]
