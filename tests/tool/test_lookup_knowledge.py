"""The whole chain, from a question to a result, over a store in memory."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from rag.errors import (
    EmptyQueryError,
    InvalidArgumentError,
    InvalidFilterError,
    InvalidInputError,
    RetrievalError,
    StoreError,
)
from rag.ranking import Channel
from rag.requests.batch_request import parse_batch
from rag.settings import GateSettings, Settings
from rag.stores.filters import SearchFilter
from rag.stores.records import StoreQuery, StoreResponse
from rag.testing.canned_retriever import canned_chunk
from rag.text import make_token_counter
from rag.tool import LookupRequest
from rag.wire import to_json
from tests.tool.word_store import WordStore, tool

PAGES = {
    "path": "Declare a path parameter in braces and give the argument a type.",
    "query": "A query parameter has a default value in the signature.",
    "body": "A request body is declared with a model class.",
    "cookie": "Cookies are read with the Cookie function.",
    "deploy": "Run the server behind a proxy in production.",
}


def pages() -> WordStore:
    return WordStore([canned_chunk(name, text=text) for name, text in PAGES.items()])


def cited(result) -> list[str]:
    return [item.citation.uri for item in result.evidence]


@pytest.mark.scenario("lookup-tool", "A question with an answer in the index")
def test_a_question_is_answered_with_cited_evidence_in_rank_order():
    result = tool(pages()).lookup("How do I declare a path parameter with a type?")
    assert cited(result)[0] == "path.md"
    assert [item.number for item in result.evidence] == list(range(1, len(result.evidence) + 1))
    assert [item.rank for item in result.evidence] == sorted(i.rank for i in result.evidence)
    first = result.evidence[0]
    assert (first.quality, first.rank, first.text) == (1.0, 1, PAGES["path"])
    assert f"[1] {first.citation.ref}" in result.context
    assert (result.relevance_level, result.level_basis, result.reason) == (
        "medium",
        "ordinal",
        "ok",
    )
    assert first.retrieval is not None
    assert first.retrieval.vector_score != first.retrieval.lexical_score
    assert result.took_ms > 0
    json.loads(to_json(result))


@pytest.mark.parametrize("mode", ["vector", "dense"])
def test_vector_mode_rests_on_similarity(mode: str):
    result = tool(pages()).lookup(PAGES["path"], mode=mode)
    assert (result.mode, result.level_basis, result.relevance_level) == (
        "vector",
        "similarity",
        "high",
    )
    assert result.evidence[0].quality == pytest.approx(1.0, abs=1e-5)


def test_lexical_mode_is_ordinal():
    assert tool(pages()).lookup("path parameter", mode="lexical").level_basis == "ordinal"


@pytest.mark.scenario("lookup-tool", "An index without documents")
def test_an_empty_index_says_so():
    store = WordStore()
    result = tool(store).lookup("anything")
    assert (result.relevance_level, result.reason) == ("none", "empty_index")
    assert (result.evidence, result.context, result.best_quality) == ((), "", None)
    assert store.word_checks == []


@pytest.mark.scenario("lookup-tool", "Words that occur nowhere")
def test_unmatched_words_are_those_the_user_wrote():
    store = pages()
    result = tool(store).lookup("Zxcm parameters Qwoeiu?", mode="lexical", filters={"lang": "xx"})
    assert result.reason == "filtered_out"
    assert result.retry.unmatched_words == ("Zxcm", "parameters", "Qwoeiu")
    result = tool(store).lookup("Zxcm Qwoeiu")
    assert (result.relevance_level, result.retry.unmatched_words) == ("low", ("Zxcm", "Qwoeiu"))


def test_words_are_looked_for_only_when_advice_is_due():
    store = pages()
    tool(store).lookup("path parameter zxcm")
    assert store.word_checks == []
    tool(store).lookup("zxcm", mode="lexical")
    assert store.word_checks == [("zxcm",)]


def test_gibberish_in_hybrid_mode_is_low_and_ordinal():
    result = tool(pages()).lookup("asdkjh qwoeiu zxcm")
    assert (result.relevance_level, result.level_basis) == ("low", "ordinal")
    assert "ordinal" in result.message
    assert result.evidence


def test_words_that_cannot_be_looked_for_cost_a_warning_and_not_the_answer():
    store = pages()
    store.failing = {Channel.LEXICAL}
    result = tool(store).lookup("zzz", mode="vector", min_quality=1.0)
    assert result.reason == "below_threshold"
    assert any("could not be looked for" in said for said in result.warnings)


@pytest.mark.scenario("lookup-tool", "The lexical channel fails")
def test_a_failed_channel_degrades_truthfully():
    store = pages()
    store.failing = {Channel.LEXICAL}
    result = tool(store).lookup("zzz unknown")
    assert result.channels["lexical"].status == "error"
    assert result.degraded == ("lexical",)
    assert (result.level_basis, result.reason) == ("similarity", "channel_error")
    assert result.relevance_level != "none"
    assert result.evidence


def test_both_channels_down_is_an_error():
    store = pages()
    store.failing = {Channel.LEXICAL, Channel.VECTOR}
    with pytest.raises((RetrievalError, StoreError)):
        tool(store).lookup("path")


@pytest.mark.scenario("lookup-tool", "A floor above every cosine")
def test_a_floor_above_every_quality_gives_best_quality_and_count():
    result = tool(pages()).lookup("path parameter", mode="vector", min_quality=0.99)
    assert (result.relevance_level, result.reason) == ("none", "below_threshold")
    assert result.filtered_count == len(PAGES)
    assert result.best_quality is not None
    assert 0 < result.best_quality < 0.99


def test_ranks_do_not_depend_on_chunks_that_a_filter_hides():
    """Case acl-before-rank: of three matches the best is not visible."""
    store = WordStore(
        [
            canned_chunk("a", text="rare word rare thing", tenant="theirs"),
            canned_chunk("b", text="rare word", tenant="mine"),
            canned_chunk("c", text="rare", tenant="mine"),
        ]
    )
    result = tool(store).lookup("rare word thing", mode="lexical", filters={"tenant": "mine"})
    assert [(i.rank, i.quality) for i in result.evidence] == [(1, 1.0), (2, 1 - 1 / 2)]


@pytest.mark.scenario("lookup-tool", "Fifty chunks of two kilobytes")
def test_fifty_large_chunks_stay_far_below_an_agents_limit_and_can_be_paged_through():
    """Case mcp-cap; and paging by cursor passes over nothing that the budget left out."""
    texts = [f"Topic {at}. " + f"A sentence on topic {at} with words. " * 56 for at in range(50)]
    store = WordStore([canned_chunk(f"c{at}", text=text) for at, text in enumerate(texts)])
    asked = tool(store)
    result = asked.lookup("topic words", k=50)
    assert all(len(text) > 1_900 for text in texts)
    assert make_token_counter("estimate").count(to_json(result)) < 25_000 / 2
    assert result.truncated
    assert result.next_cursor is not None
    seen, pages_read = [item.citation.chunk_id for item in result.evidence], 1
    while result.next_cursor is not None:
        result = asked.lookup("topic words", k=50, cursor=result.next_cursor)
        assert result.evidence[0].rank == len(seen) + 1
        seen += [item.citation.chunk_id for item in result.evidence]
        pages_read += 1
    assert sorted(seen) == sorted({one.chunk_id for one in store.chunks})
    assert pages_read > 10


def test_a_budget_of_zero_gives_the_verdict_alone():
    result = tool(pages()).lookup("path parameter", budget_tokens=0)
    assert (result.evidence, result.context, result.budget.used) == ((), "", 0)
    assert (result.relevance_level, result.truncated) == ("medium", True)
    assert result.next_cursor is None
    assert not result.retry.should_retry
    assert "verdict alone" in result.retry.hint


def test_a_budget_without_room_for_any_piece_says_so_instead_of_sending_to_the_evidence():
    asked = tool(pages())
    result = asked.lookup("path parameter", budget_tokens=5)
    assert (result.evidence, result.budget.used, result.truncated) == ((), 0, True)
    assert "fits the budget of 5 tokens" in result.message
    assert result.retry.should_retry
    assert "larger budget_tokens" in result.retry.hint
    last = asked.lookup("path parameter", budget_tokens=5, attempt=9)
    assert (last.retry.attempts_left, last.retry.should_retry) == (0, False)
    batch = asked.lookup_many(["path parameter", "cookies"], budget_tokens=5)
    assert all("larger budget_tokens" in batch.hint_for(one) for one in batch.results)
    assert all(one.retry.should_retry and one.truncated for one in batch.results)


def test_the_counter_that_was_configured_counts_and_is_named():
    counter = make_token_counter("o200k")
    result = tool(pages(), counter=counter).lookup("path parameter", budget_tokens=100)
    assert result.budget.counter == "o200k"
    assert result.budget.used == counter.count(result.context) <= 100


@pytest.mark.scenario("lookup-tool", "The same question three times in one session")
def test_a_session_that_turns_in_circles_is_told_to_stop():
    settings = Settings(gate=GateSettings(max_attempts=3))
    asked = tool(pages(), settings)
    questions = ["zxcm", "zxcm", "zxcm", "qwoeiu"]
    results = [asked.lookup(question, session_id="chat-1") for question in questions]
    assert [one.retry.attempts_left for one in results] == [2, 1, 0, 2]
    assert [one.retry.should_retry for one in results] == [True, True, False, True]
    again = 2 * ["no_new_evidence"]
    assert [str(one.reason) for one in results] == ["weak", *again, "weak"]
    assert asked.lookup("zxcm", session_id="chat-2").retry.attempts_left == 2
    assert asked.lookup("zxcm").retry.attempts_left is None


@pytest.mark.scenario("lookup-tool", "Three questions to a base that fits into one answer")
def test_other_questions_that_get_the_whole_of_a_small_base_are_no_attempts():
    asked = tool(pages())
    questions = ["path parameter", "cookies", "background tasks"]
    results = [asked.lookup(question, k=5, session_id="s") for question in questions]
    given = [{item.citation.chunk_id for item in one.evidence} for one in results]
    assert given[0] == given[1] == given[2]
    assert [one.retry.attempts_left for one in results] == [2, 2, 2]
    assert all("nothing new" not in one.message for one in results)
    again = asked.lookup("parameter of a path", k=5, session_id="s")
    assert (again.reason, again.retry.attempts_left) == ("no_new_evidence", 1)


def test_questions_of_one_batch_are_no_attempts_at_one_another():
    asked = tool(pages())
    questions = ["path parameter", "parameter of a path", "parameters in paths"]
    for left in (2, 1, 0):
        batch = asked.lookup_many(questions, session_id="s")
        assert [one.retry.attempts_left for one in batch.results] == [left] * 3


def test_a_verdict_alone_is_no_attempt_and_shows_nothing():
    asked = tool(pages())
    for _ in range(3):
        verdict = asked.lookup("path parameter", budget_tokens=0, session_id="s")
        assert (verdict.retry.attempts_left, verdict.reason) == (None, "ok")
    first = asked.lookup("path parameter", session_id="s")
    assert (first.retry.attempts_left, first.reason) == (2, "ok")


def test_a_caller_may_count_attempts_itself():
    asked = tool(pages())
    first = asked.lookup("zxcm")
    seen = [item.citation.chunk_id for item in first.evidence]
    third = asked.lookup("zxcm qwoeiu", attempt=3, seen_chunk_ids=seen)
    assert (third.reason, third.retry.should_retry) == ("no_new_evidence", False)


def test_a_further_page_is_no_further_attempt():
    asked = tool(pages())
    first = asked.lookup("path parameter", k=2, session_id="s")
    asked.lookup("path parameter", k=2, session_id="s", cursor=first.next_cursor)
    assert asked.lookup("path parameter", k=2, session_id="s").retry.attempts_left == 1


def test_an_index_that_changes_meanwhile_changes_nothing_about_an_answer():
    store = pages()
    search = store.search

    def search_and_lose_everything(query):
        response = search(query)
        store.chunks.clear()
        store.current = "r2"
        return response

    store.search = search_and_lose_everything  # type: ignore[method-assign]  # a writer in between
    result = tool(store).lookup("path parameter")
    assert cited(result)[0] == "path.md"
    assert result.revision == "r1"


@pytest.mark.scenario("lookup-tool", "Two questions and one budget")
def test_several_questions_share_one_budget():
    asked = tool(pages())
    batch = asked.lookup_many(["path parameter", "cookies"], budget_tokens=120)
    counter = make_token_counter("estimate")
    assert counter.count(batch.context) == batch.budget.used <= batch.budget.limit == 120
    assert all(one is not None and one.evidence for one in batch.results)
    assert batch.revision == "r1"
    assert batch.channels == {"lexical": {"ok": 2}, "vector": {"ok": 2}}
    assert batch.errors == ()
    json.loads(to_json(batch))


@pytest.mark.scenario("lookup-tool", "One bad question in a batch")
def test_a_bad_question_leaves_the_others_their_answers():
    batch = tool(pages()).lookup_many(["path parameter", " ", {"query": "x", "k": 0}, "cookies"])
    assert [one is not None for one in batch.results] == [True, False, False, True]
    assert [(one.index, one.error["code"]) for one in batch.errors] == [
        (1, "empty_query"),
        (2, "invalid_argument"),
    ]


def test_a_batch_in_which_every_question_fails_is_an_error():
    with pytest.raises(EmptyQueryError):
        tool(pages()).lookup_many(["", " "])


def test_options_of_a_batch_hold_where_a_question_sets_none():
    questions = [{"query": "path parameter", "mode": "vector"}, "path parameter"]
    batch = tool(pages()).lookup_many(questions, mode="lexical")
    assert [one.mode for one in batch.results if one] == ["vector", "lexical"]


@pytest.mark.scenario("lookup-tool", "Twelve questions that name no k")
def test_the_questions_of_a_batch_share_fifty_hits_where_none_is_named():
    questions = [f"{name} {n}" for n in range(6) for name in ("path", "cookies")]
    request = parse_batch([{"query": questions[0], "k": 7}, *questions[1:]])
    found = [request.part(one, default_k=10).k for one in request.queries]
    assert found == [7, *[50 // 12] * 11]
    named = parse_batch(questions, {"k": 9})
    assert {named.part(one, default_k=10).k for one in named.queries} == {9}
    few = parse_batch(questions[:2])
    assert [few.part(one, default_k=10).k for one in few.queries] == [10, 10]
    most = parse_batch(["path"] * 50)
    assert most.part("path", default_k=10).k == 1


@pytest.mark.scenario("lookup-tool", "An option at fault in a batch")
def test_an_option_of_all_that_is_at_fault_fails_the_batch_before_anything_is_asked():
    class Unasked(WordStore):
        def search(self, query: StoreQuery) -> StoreResponse:
            raise AssertionError("nothing is to be asked")

    store = Unasked()
    for wrong in ({"k": 0}, {"colour": 1}, {"cursor": "c"}, {"filters": {"colour": 1}}):
        with pytest.raises(InvalidInputError):
            tool(store).lookup_many(["path", {"query": "cookies", "k": 3}], **wrong)


def test_null_in_a_question_of_a_batch_is_as_good_as_left_out():
    request = parse_batch(["x"], {"filters": {"lang": "en"}, "mode": "lexical"})
    part = request.part({"query": "x", "filters": None, "mode": None}, default_k=10)
    assert (part.filters, part.mode) == (SearchFilter(lang=("en",)), "lexical")


def test_a_question_of_a_batch_may_be_a_request():
    request = parse_batch(["x"], {"mode": "lexical", "min_quality": 0.5})
    part = request.part(LookupRequest(query="x", mode="vector"), default_k=10)
    assert (part.mode, part.min_quality, part.k) == ("vector", 0.5, 10)


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([], "a list of 1 to 50 questions; got 0"),
        (["x"] * 51, "a list of 1 to 50 questions; got 51"),
        ("one question", "got str"),
        (7, "got int"),
    ],
)
def test_a_batch_of_the_wrong_kind_is_refused(queries, message: str):
    with pytest.raises(InvalidArgumentError, match=message):
        tool(pages()).lookup_many(queries)


def test_a_question_of_a_batch_has_no_budget_of_its_own():
    batch = tool(pages()).lookup_many(["cookies", {"query": "path", "budget_tokens": 5}])
    assert "no budget of its own" in batch.errors[0].error["message"]


@pytest.mark.parametrize("budget", [-1, True, "100", 1.5])
def test_a_shared_budget_that_is_no_budget_is_refused(budget):
    with pytest.raises(InvalidArgumentError, match="'budget_tokens' must be a whole number from 0"):
        tool(pages()).lookup_many(["path"], budget_tokens=budget)


@pytest.mark.scenario("lookup-tool", "Ten questions and eleven")
def test_a_batch_of_few_questions_gives_cursors_and_a_larger_one_says_what_was_cut():
    asked, question = tool(pages()), {"query": "path parameter", "k": 2}
    for count in (10, 11):
        batch = asked.lookup_many([question] * count, budget_tokens=2_000)
        cursors = [one.next_cursor for one in batch.results]
        assert all(cursors) is (count == 10)
        assert any(cursors) is (count == 10)
        page = [one for one in batch.results if one.truncated]
        assert page == []
    small = asked.lookup_many(["path parameter", "cookies"], budget_tokens=90)
    assert all(one.truncated and one.dropped_by_reason["over_budget"] for one in small.results)
    cursor = small.results[0].next_cursor
    assert asked.lookup("path parameter", k=50 // 2, cursor=cursor).evidence


@pytest.mark.scenario("lookup-tool", "A hint that several questions share")
def test_a_hint_that_questions_share_stands_once_and_every_other_with_its_question():
    asked = tool(pages())
    queries = ["path parameter", "cookies", "zxcm", {"query": "qwoeiu", "min_quality": 1.0}]
    batch = asked.lookup_many([*queries, {"query": "vbnm", "mode": "lexical"}], k=1)
    alone = [asked.lookup(query, k=1) for query in (*queries[:3], {"query": "vbnm"})]
    assert batch.hints["ok"] == alone[0].retry.hint
    assert [one.retry.hint for one in batch.results[:2]] == [None, None]
    for one, by_itself in zip(batch.results[:3], alone[:3], strict=True):
        assert by_itself.retry.hint.startswith(batch.hint_for(one))
        assert one.retry.should_retry is by_itself.retry.should_retry
    assert batch.results[2].retry.unmatched_words == ("zxcm",)
    assert all("zxcm" not in hint for hint in batch.hints.values())


def test_one_text_found_by_two_questions_is_given_once():
    batch = tool(pages()).lookup_many(["path parameter", "parameter path type"])
    first, second = batch.results
    assert first is not None
    assert second is not None
    assert batch.context.count(PAGES["path"]) == 1
    (repeated,) = [item for item in second.evidence if item.number == 1]
    assert (repeated.citation, repeated.text, repeated.flags) == (None, "", ("already_packed",))
    (packed,) = [item for item in first.evidence if item.number == 1]
    assert packed.citation.ref.startswith("path.md#L1")


def test_async_look_ups_answer_as_the_others_do():
    async def both():
        asked = tool(pages())
        one = await asked.alookup("path parameter", k=2)
        many = await asked.alookup_many(["path parameter"], k=2)
        return one, many

    one, many = asyncio.run(both())
    assert many.results[0] is not None
    refs = [item.citation.ref for item in many.results[0].evidence]
    assert refs == [item.citation.ref for item in one.evidence]


def test_look_ups_from_many_threads_give_equal_answers():
    asked = tool(pages())
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: asked.lookup("path parameter"), range(32)))
    assert len({(one.context, one.revision) for one in answers}) == 1


def test_a_request_can_be_given_whole_and_options_go_over_it():
    request = LookupRequest(query="path parameter", k=2)
    asked = tool(pages())
    assert len(asked.lookup(request).evidence) == 2
    assert len(asked.lookup(request, k=1).evidence) == 1
    assert len(asked.lookup({"query": "path parameter", "k": 1}).evidence) == 1


@pytest.mark.scenario("lookup-tool", "A filter with an unknown key")
def test_an_unknown_filter_key_is_a_typed_error():
    with pytest.raises(InvalidFilterError, match="unknown filter key 'colour'"):
        tool(pages()).lookup("path", filters={"colour": "red"})


@pytest.mark.parametrize("query", ["", "   ", "\u200b"])
def test_a_blank_question_is_refused(query: str):
    with pytest.raises(EmptyQueryError):
        tool(pages()).lookup(query)
