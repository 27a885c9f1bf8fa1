"""From a question to labelled hits, page by page."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from rag.errors import (
    DeadlineExceededError,
    EmbedderUnavailableError,
    EmbeddingDimensionError,
    InvalidArgumentError,
    InvalidFilterError,
    InvalidVectorError,
    RetrievalError,
    StaleCursorError,
    StoreError,
    StoreTimeoutError,
    StoreUnreachableError,
)
from rag.ranking import Channel, ScoreKind, ScoreLabel, SearchMode
from rag.retrieval import SearchQuery, SearchResponse, VectorSearchService
from rag.settings import SearchSettings
from rag.stores.records import ChannelStatus, StoreQuery, StoreResponse
from rag.testing.canned_retriever import canned_chunk
from rag.text import Script
from tests.retrieval.canned_store import CannedStore, CountingEmbedder

LEXICAL, VECTOR = Channel.LEXICAL, Channel.VECTOR
CHUNKS = [canned_chunk(str(number)) for number in range(10)]
WORDS = [(chunk, 10.0 - i) for i, chunk in enumerate(CHUNKS)]
DENSE = [(chunk, 0.9 - i / 100) for i, chunk in enumerate(CHUNKS)]


def service(
    store: CannedStore, embedder: CountingEmbedder | None = None, **settings: object
) -> VectorSearchService:
    return VectorSearchService(
        store,  # type: ignore[arg-type]  # only the part of a store that a search touches
        embedder,
        SearchSettings.model_validate(settings),
    )


def search(
    store: CannedStore, embedder: CountingEmbedder | None, text: str = "how", **query: object
) -> SearchResponse:
    return service(store, embedder).search(SearchQuery(text=text, **query))  # type: ignore[arg-type]  # a test's shorthand


@pytest.fixture
def store() -> CannedStore:
    return CannedStore(WORDS, DENSE)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


# Modes and channels


def test_hybrid_embeds_once_and_asks_the_store_once(store: CannedStore, embedder: CountingEmbedder):
    answer = search(store, embedder, "where is it?", k=3)
    assert embedder.asked == ["where is it?"]
    assert len(store.queries) == 1
    assert answer.mode is SearchMode.HYBRID
    assert [hit.score for hit in answer.hits] == [1.0, (2 / 62) / (2 / 61), (2 / 63) / (2 / 61)]
    assert (answer.degraded, answer.warnings) == ((), ())
    assert answer.took_ms >= answer.embed_ms >= 0


@pytest.mark.scenario("retrieval", "Lexical mode embeds nothing")
def test_lexical_mode_embeds_nothing(store: CannedStore, embedder: CountingEmbedder):
    answer = search(store, embedder, mode="lexical")
    assert embedder.asked == []
    assert answer.channels[VECTOR].status is ChannelStatus.OFF
    assert answer.channels[VECTOR].detail == "lexical mode does not ask it"
    assert {hit.score_kind for hit in answer.hits} == {ScoreKind.BM25}


@pytest.mark.scenario("retrieval", "Dense is another name of vector")
def test_dense_is_another_name_of_vector(store: CannedStore, embedder: CountingEmbedder):
    dense, vector = (search(store, embedder, mode=mode) for mode in ("dense", "vector"))
    assert dense.mode is vector.mode is SearchMode.VECTOR
    assert dense.hits == vector.hits
    assert {hit.score_label for hit in dense.hits} == {ScoreLabel.DENSE}


def test_settings_give_the_defaults_and_the_query_overrides_them(store: CannedStore):
    asked = service(store, None, mode="lexical", k=4, snippet_chars=99, candidates=300)
    assert len(asked.search(SearchQuery(text="how")).hits) == 4
    assert len(asked.search(SearchQuery(text="how", k=2, mode="hybrid")).hits) == 2
    first, second = store.queries
    assert (first.mode, first.snippet_chars, first.candidates) == (SearchMode.LEXICAL, 99, 300)
    assert (second.mode, second.k) == (SearchMode.HYBRID, 2)


def test_hybrid_without_an_embedder_searches_by_words_and_says_so(store: CannedStore):
    answer = search(store, None)
    assert answer.channels[VECTOR].status is ChannelStatus.OFF
    assert answer.channels[VECTOR].detail == "no embedder is configured"
    assert answer.hits[0].score_label is ScoreLabel.HYBRID
    assert answer.degraded == ()


@pytest.mark.scenario("retrieval", "Vector mode without an embedder")
def test_vector_mode_without_an_embedder_is_refused_with_the_choice(store: CannedStore):
    with pytest.raises(InvalidArgumentError, match="needs an embedder") as caught:
        search(store, None, mode="vector")
    assert "minilm" in (caught.value.hint or "")
    assert "none," not in (caught.value.hint or "")
    assert store.queries == []


@pytest.mark.scenario("retrieval", "Unread script in hybrid mode")
def test_an_unread_script_is_not_embedded_and_words_serve_alone(store: CannedStore):
    latin = CountingEmbedder(scripts=frozenset({Script.LATIN}))
    answer = search(store, latin, "混合检索的质量")
    assert latin.asked == []
    report = answer.channels[VECTOR]
    assert report.status is ChannelStatus.NOT_COVERED
    assert "counting reads latin only" in (report.detail or "")
    first = answer.hits[0]
    assert (first.score_label, first.score_kind, first.score) == (
        ScoreLabel.HYBRID,
        ScoreKind.RRF,
        1.0,
    )
    assert (answer.degraded, answer.warnings) == ((), ())


@pytest.mark.scenario("retrieval", "Unread script in vector mode")
def test_an_unread_script_in_vector_mode_gives_no_hits_and_advice(store: CannedStore):
    latin = CountingEmbedder(scripts=frozenset({Script.LATIN}))
    answer = search(store, latin, "混合检索的质量", mode="vector")
    assert (answer.hits, answer.index_empty) == ((), False)
    assert answer.channels[VECTOR].status is ChannelStatus.NOT_COVERED
    (warning,) = answer.warnings
    assert "use mode hybrid or lexical" in warning


def test_a_query_without_words_says_why_the_lexical_channel_was_not_asked(
    store: CannedStore, embedder: CountingEmbedder
):
    store.words.terms = False
    answer = search(store, embedder, "?!")
    assert answer.channels[LEXICAL].status is ChannelStatus.NO_TERMS
    assert answer.channels[LEXICAL].detail == "the query has no searchable word"
    assert answer.hits[0].score == 1.0


# Failing channels


def test_a_failing_channel_is_named_as_degraded_with_a_warning(
    store: CannedStore, embedder: CountingEmbedder
):
    store.words.error = StoreError("disk on fire")
    answer = search(store, embedder)
    assert answer.degraded == (LEXICAL,)
    assert {hit.score_label for hit in answer.hits} == {ScoreLabel.DENSE}
    (warning,) = answer.warnings
    assert "the lexical channel failed (disk on fire)" in warning


@pytest.mark.scenario("retrieval", "Query cannot be embedded")
@pytest.mark.parametrize(
    ("embedder", "code"),
    [
        (CountingEmbedder(error=EmbedderUnavailableError("no model")), "embedder_unavailable"),
        (CountingEmbedder(gives=(math.nan, 0.0)), "invalid_vector"),
        (CountingEmbedder(gives=(0.0, 0.0)), "invalid_vector"),
        (CountingEmbedder(gives=(1.0, 0.0, 0.0)), "embedding_dimension"),
    ],
)
def test_a_query_that_cannot_be_embedded_is_searched_by_words(
    store: CannedStore, embedder: CountingEmbedder, code: str
):
    answer = search(store, embedder)
    report = answer.channels[VECTOR]
    assert (report.status, report.error_code) == (ChannelStatus.ERROR, code)
    assert report.detail
    assert answer.degraded == (VECTOR,)
    assert {hit.score_kind for hit in answer.hits} == {ScoreKind.BM25}
    assert len(answer.warnings) == 1


@pytest.mark.parametrize(
    ("embedder", "error"),
    [
        (CountingEmbedder(error=EmbedderUnavailableError("no model")), EmbedderUnavailableError),
        (CountingEmbedder(gives=(math.inf, 0.0)), InvalidVectorError),
        (CountingEmbedder(gives=(1.0,)), EmbeddingDimensionError),
    ],
)
def test_vector_mode_fails_with_the_embedders_error(
    store: CannedStore, embedder: CountingEmbedder, error: type[Exception]
):
    with pytest.raises(error):
        search(store, embedder, mode="vector")
    assert store.queries == []


def test_without_vector_and_without_words_the_embedders_error_is_raised(store: CannedStore):
    store.words.terms = False
    with pytest.raises(EmbedderUnavailableError, match="no model"):
        search(store, CountingEmbedder(error=EmbedderUnavailableError("no model")), "?!")


def test_a_failed_embedding_and_a_failed_store_are_both_named(store: CannedStore):
    store.words.error = StoreUnreachableError("no server")
    with pytest.raises(RetrievalError, match=r"no server.*no model") as caught:
        search(store, CountingEmbedder(error=EmbedderUnavailableError("no model")))
    assert caught.value.details["causes"]["vector"]["code"] == "embedder_unavailable"


def test_the_only_channel_asked_fails_with_its_own_error(store: CannedStore):
    store.words.error = StoreUnreachableError("no server")
    with pytest.raises(StoreUnreachableError):
        search(store, None)


# Deadline


@pytest.mark.scenario("retrieval", "Remaining time is passed on")
def test_the_store_is_told_what_time_is_left(store: CannedStore, embedder: CountingEmbedder):
    search(store, embedder, deadline_s=5)
    left = store.queries[0].timeout_s
    assert left is not None
    assert 0 < left <= 5


@pytest.mark.scenario("retrieval", "Store does not answer in time")
def test_a_store_out_of_time_is_an_exceeded_deadline(store: CannedStore):
    store.words.error = StoreTimeoutError("no answer after 2 s")
    with pytest.raises(DeadlineExceededError, match="within 2 s") as caught:
        search(store, None, deadline_s=2)
    assert "deadline_s" in (caught.value.hint or "")


def test_a_deadline_that_embedding_used_up_is_exceeded_before_the_store_is_asked(
    store: CannedStore, embedder: CountingEmbedder
):
    with pytest.raises(DeadlineExceededError, match="embedding the query"):
        search(store, embedder, deadline_s=1e-9)
    assert store.queries == []


# Pages


def pages(store: CannedStore, embedder: CountingEmbedder | None, k: int) -> list[SearchResponse]:
    asked = service(store, embedder)
    found = [asked.search(SearchQuery(text="how", k=k))]
    while (cursor := found[-1].next_cursor) is not None:
        found.append(asked.search(SearchQuery(text="how", k=k, cursor=cursor)))
    return found


@pytest.mark.scenario("retrieval", "Ten tied chunks in pages of three")
def test_tied_chunks_page_without_overlap_or_loss():
    tied = sorted((canned_chunk(name, text="same") for name in "abcdefghij"), key=_chunk_id)
    store = CannedStore([(chunk, 1.0) for chunk in tied], [(chunk, 0.5) for chunk in tied])
    first = pages(store, CountingEmbedder(), 3)
    assert [len(page.hits) for page in first] == [3, 3, 3, 1]
    assert [page.offset for page in first] == [0, 3, 6, 9]
    seen = [hit.chunk.chunk_id for page in first for hit in page.hits]
    assert sorted(seen) == sorted(chunk.chunk_id for chunk in tied)
    assert [hit.rank for page in first for hit in page.hits] == list(range(1, 11))
    again = pages(store, CountingEmbedder(), 3)
    assert [page.hits for page in again] == [page.hits for page in first]


def _chunk_id(chunk: object) -> str:
    return chunk.chunk_id  # type: ignore[attr-defined, no-any-return]  # only chunks are sorted


@pytest.mark.scenario("retrieval", "Page that ends the ranking")
@pytest.mark.parametrize("k", [10, 200])
def test_a_page_that_ends_the_ranking_has_no_cursor(
    store: CannedStore, embedder: CountingEmbedder, k: int
):
    assert search(store, embedder, k=k).next_cursor is None


def test_the_page_size_may_change_between_pages(store: CannedStore, embedder: CountingEmbedder):
    first = search(store, embedder, k=3)
    rest = search(store, embedder, k=200, cursor=first.next_cursor)
    assert [hit.rank for hit in (*first.hits, *rest.hits)] == list(range(1, 11))


@pytest.mark.scenario("retrieval", "Index changed between pages")
def test_a_cursor_of_an_older_index_is_stale(store: CannedStore, embedder: CountingEmbedder):
    first = search(store, embedder, k=3)
    store.current = "r2"
    with pytest.raises(StaleCursorError, match="r1 then, r2 now"):
        search(store, embedder, k=3, cursor=first.next_cursor)


@pytest.mark.scenario("retrieval", "Channel lost between pages")
def test_a_cursor_is_stale_when_other_channels_answer(
    store: CannedStore, embedder: CountingEmbedder
):
    first = search(store, embedder, k=3)
    store.dense.error = StoreError("gone")
    with pytest.raises(StaleCursorError, match="lexical\\+vector"):
        search(store, embedder, k=3, cursor=first.next_cursor)
    degraded = search(store, embedder, k=3)
    store.dense.error = None
    with pytest.raises(StaleCursorError, match="ranking of lexical,"):
        search(store, embedder, k=3, cursor=degraded.next_cursor)


def test_a_cursor_is_stale_under_other_fusion_settings(
    store: CannedStore, embedder: CountingEmbedder
):
    first = search(store, embedder, k=3)
    other = service(store, embedder, rrf_k=10)
    with pytest.raises(StaleCursorError, match="settings"):
        other.search(SearchQuery(text="how", k=3, cursor=first.next_cursor))
    same = service(store, embedder, k=50, snippet_chars=100)
    assert same.search(SearchQuery(text="how", cursor=first.next_cursor)).offset == 3


# Empty answers and bad input


@pytest.mark.scenario("retrieval", "Empty index and no match")
def test_no_hits_say_whether_the_index_is_empty():
    empty, unmatched = CannedStore(), CannedStore()
    unmatched.chunk_count = 3
    answers = [search(store, None) for store in (empty, unmatched)]
    assert [answer.hits for answer in answers] == [(), ()]
    assert [answer.index_empty for answer in answers] == [True, False]
    assert [answer.next_cursor for answer in answers] == [None, None]


def test_an_answer_with_hits_does_not_ask_how_much_there_is(store: CannedStore):
    def stats() -> None:
        raise AssertionError("not needed")

    store.stats = stats  # type: ignore[method-assign, assignment]  # a trap
    assert search(store, None).index_empty is False


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ({"mode": "fuzzy"}, InvalidArgumentError),
        ({"k": 0}, InvalidArgumentError),
        ({"snippet_chars": 5}, InvalidArgumentError),
        ({"deadline_s": 0}, InvalidArgumentError),
        ({"filters": {"colour": "red"}}, InvalidFilterError),
        ({"filters": ["tags"]}, InvalidFilterError),
    ],
)
def test_bad_input_is_refused_before_anything_is_asked(
    store: CannedStore, embedder: CountingEmbedder, query: dict[str, object], error: type[Exception]
):
    with pytest.raises(error):
        search(store, embedder, **query)
    assert (embedder.asked, store.queries) == ([], [])


def test_filters_may_be_given_as_a_mapping(store: CannedStore, embedder: CountingEmbedder):
    answer = search(store, embedder, filters={"doc_id": CHUNKS[4].doc_id})
    assert [hit.chunk for hit in answer.hits] == [CHUNKS[4]]
    assert answer.hits[0].rank == 1


def test_what_no_engine_takes_is_replaced_in_the_query(
    store: CannedStore, embedder: CountingEmbedder
):
    answer = search(store, embedder, "a\0b\ud800c")
    assert store.queries[0].text == embedder.asked[0] == answer.query
    answer.query.encode()
    assert "\0" not in answer.query


def test_a_hit_that_vanished_while_it_was_read_neither_repeats_nor_ends_the_pages(
    store: CannedStore, embedder: CountingEmbedder
):
    whole = store.search

    def without_rank_two(query: StoreQuery) -> StoreResponse:
        found = whole(query)
        return replace(found, hits=tuple(hit for hit in found.hits if hit.rank != 2))

    store.search = without_rank_two  # type: ignore[method-assign]  # a store that lost a row
    ranks = [[hit.rank for hit in page.hits] for page in pages(store, embedder, 3)]
    assert ranks == [[1, 3], [4, 5, 6], [7, 8, 9], [10]]
