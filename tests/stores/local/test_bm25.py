"""The lexical score is BM25, to the last digit, over every chunk."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ranking.records import SearchMode
from rag.testing.store_contract_parts.corpus import document, search, uris
from tests.stores.local.opening import local_store

LEXICAL = SearchMode.LEXICAL


def idf(chunks: int, holding: int) -> float:
    """Return Lucene's idf."""
    return math.log(1 + (chunks - holding + 0.5) / (holding + 0.5))


def saturated(tf: float, length: float, mean: float, k1: float = 1.2, b: float = 0.75) -> float:
    """Return the part of the formula that follows from one chunk."""
    return tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))


@pytest.mark.scenario("local-store", "A score can be checked by hand")
def test_a_score_is_the_formula_with_lucene_s_idf(store) -> None:
    store.write_documents(
        [
            document("a.md", "lynx lynx fox", title="", vectors=[None]),
            document("b.md", "lynx", title="", vectors=[None]),
            document("c.md", "owl owl", title="", vectors=[None]),
        ]
    )
    mean = (3 + 1 + 2) / 3
    scores = {hit.chunk.uri: hit.score for hit in search(store, "lynx fox", LEXICAL).hits}
    assert scores == {
        "a.md": pytest.approx(
            idf(3, 1) * saturated(1, 3, mean) + idf(3, 2) * saturated(2, 3, mean), rel=1e-12
        ),
        "b.md": pytest.approx(idf(3, 2) * saturated(1, 1, mean), rel=1e-12),
    }


@pytest.mark.scenario("local-store", "A word of every chunk still scores")
def test_a_word_that_is_in_every_chunk_of_a_small_corpus_still_scores(store) -> None:
    store.write_documents([document(f"{n}.md", "heron", title="") for n in range(3)])
    (score,) = {hit.score for hit in search(store, "heron", LEXICAL).hits}
    assert score == pytest.approx(math.log(1 + 0.5 / 3.5), rel=1e-12)
    assert score > 0.1


@pytest.mark.scenario("local-store", "A word in the headings counts for more")
def test_a_word_in_the_headings_counts_as_often_as_its_weight_says(folder) -> None:
    for weight in (1.0, 2.0, 3.5):
        store = local_store(folder / f"weight{weight}", heading_weight=weight)
        store.write_documents(
            [
                document("head.md", "text of it", title="", headings=("Badger",)),
                document("body.md", "badger of it", title=""),
                document("none.md", "text of it", title=""),
            ]
        )
        mean = (3 + weight + 3 + 3) / 3
        scores = {hit.chunk.uri: hit.score for hit in search(store, "badger", LEXICAL).hits}
        assert scores == {
            "head.md": pytest.approx(idf(3, 2) * saturated(weight, 3 + weight, mean), rel=1e-12),
            "body.md": pytest.approx(idf(3, 2) * saturated(1, 3, mean), rel=1e-12),
        }
        store.close()


def test_k1_and_b_are_settings(folder) -> None:
    store = local_store(folder, bm25_k1=0.4, bm25_b=0.0)
    store.write_documents(
        [
            document("long.md", "vole vole " + "x " * 50, title=""),
            document("b.md", "vole", title=""),
        ]
    )
    scores = {hit.chunk.uri: hit.score for hit in search(store, "vole", LEXICAL).hits}
    assert scores == {
        "long.md": pytest.approx(idf(2, 2) * 2 * 1.4 / 2.4, rel=1e-12),
        "b.md": pytest.approx(idf(2, 2) * 1 * 1.4 / 1.4, rel=1e-12),
    }
    store.close()


@pytest.mark.scenario("local-store", "Another tenant's words move no score")
def test_a_tenant_s_scores_are_those_of_a_store_of_its_own(folder) -> None:
    mine = [
        document("1.md", "otter river", tenant="a"),
        document("2.md", "otter otter sea", tenant="a"),
    ]
    theirs = [document(f"{n}.md", "otter " * n + "den", tenant="b") for n in range(3, 20)]
    alone, shared = local_store(folder / "alone"), local_store(folder / "shared")
    alone.write_documents(mine)
    shared.write_documents([*theirs[:9], *mine, *theirs[9:]])
    for mode in SearchMode:
        of_alone = search(alone, "otter den river", mode, filters={"tenant": "a"})
        of_shared = search(shared, "otter den river", mode, filters={"tenant": "a"})
        assert of_alone.hits == of_shared.hits, mode
        assert of_alone.total == of_shared.total == 2
    alone.close()
    shared.close()


@pytest.mark.scenario("local-store", "A filter leaves scores as they are")
def test_a_filtered_ranking_is_the_whole_ranking_without_the_others(store) -> None:
    words = ["ash", "birch", "cedar", "date", "elm"]
    store.write_documents(
        [
            document(
                f"{n}.md",
                " ".join(words[i % 5] for i in range(n, n + n % 4 + 1)),
                tags=(str(n % 3),),
            )
            for n in range(40)
        ]
    )
    for mode in (SearchMode.LEXICAL, SearchMode.VECTOR):
        whole = search(store, "ash cedar elm", mode, k=200).hits
        some = search(store, "ash cedar elm", mode, filters={"tags": "1"}, k=200).hits
        assert [(h.chunk.uri, h.score) for h in some] == [
            (h.chunk.uri, pytest.approx(h.score)) for h in whole if h.chunk.tags == ("1",)
        ]


def test_equal_scores_come_by_chunk_id_also_where_the_candidates_end(store) -> None:
    store.write_documents([document(f"{n}.md", "stoat", title="") for n in range(60)])
    everything = search(store, "stoat", LEXICAL, k=60).hits
    ids = [hit.chunk.chunk_id for hit in everything]
    assert ids == sorted(ids)
    first = search(store, "stoat", LEXICAL, k=60, candidates=25).hits
    assert first == everything[:25]


@pytest.mark.scenario("local-store", "Nothing is lost to frequent words")
@given(
    texts=st.lists(
        st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12), min_size=1, max_size=30
    ),
    query=st.lists(st.sampled_from("abcdefghz"), min_size=1, max_size=6, unique=True),
)
@settings(max_examples=25, deadline=None)
def test_the_ranking_is_that_of_scoring_every_chunk(tmp_path_factory, texts, query) -> None:
    """The exhaustive OR of all words is the reference; nothing is pruned away."""
    named = [[f"w{word}{word}" for word in text] for text in texts]
    store = local_store(tmp_path_factory.mktemp("whole"))
    store.write_documents(
        [
            document(f"{n}.md", " ".join(words), title="", vectors=[None])
            for n, words in enumerate(named)
        ]
    )
    mean = sum(map(len, named)) / len(named)
    wanted = {}
    for n, words in enumerate(named):
        counts = Counter(words)
        score = 0.0
        for term in sorted({f"w{word}{word}" for word in query}):
            if counts[term]:
                holding = sum(term in other for other in named)
                score += idf(len(named), holding) * saturated(counts[term], len(words), mean)
        if score:
            wanted[f"{n}.md"] = score
    response = search(store, " ".join(f"w{word}{word}" for word in query), LEXICAL, k=50)
    assert {hit.chunk.uri: hit.score for hit in response.hits} == {
        uri: pytest.approx(score, rel=1e-9) for uri, score in wanted.items()
    }
    assert len(uris(response)) == len(wanted)
    store.close()
