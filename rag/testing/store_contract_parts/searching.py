"""Order, labels, ranks, scores and pages."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from rag.ranking.records import Channel, ScoreKind, ScoreLabel, SearchMode
from rag.stores.protocol import KnowledgeStore
from rag.stores.records import ChannelStatus, StoreResponse
from rag.testing.store_contract_parts.corpus import (
    EMBEDDER,
    MODES,
    OpenStore,
    document,
    document_id,
    search,
    texts,
    uris,
)

LABELS = {
    SearchMode.HYBRID: (ScoreLabel.HYBRID, ScoreKind.RRF),
    SearchMode.VECTOR: (ScoreLabel.DENSE, ScoreKind.COSINE),
    SearchMode.LEXICAL: (ScoreLabel.HYBRID, ScoreKind.BM25),
}
SUBJECTS = ["amber", "basil", "cedar", "dahlia", "elder"]
SUBJECTS += ["fennel", "garlic", "hazel", "iris", "juniper"]


def fifty() -> list[str]:
    """Return fifty texts that share words in many ways."""
    return [
        f"{SUBJECTS[n % 10]} {SUBJECTS[n // 10]} {SUBJECTS[(n * 7 + 3) % 10]} leaf number {n}"
        for n in range(50)
    ]


class SearchingContract:
    """What a search returns; the corpus is fifty chunks in ten documents."""

    @pytest.fixture(scope="class")
    @classmethod
    def garden(cls, store_factory: OpenStore) -> Iterator[KnowledgeStore]:
        store = store_factory("garden")
        lines = fifty()
        store.write_documents(
            [document(f"garden/{n}.md", *lines[n * 5 : n * 5 + 5]) for n in range(10)]
        )
        yield store
        store.close()

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.scenario("knowledge-stores", "Every mode labels its hits")
    def test_hits_carry_the_label_and_kind_of_their_mode(
        self, garden: KnowledgeStore, mode: SearchMode
    ) -> None:
        response = search(garden, "amber basil leaf", mode, k=20)
        assert len(response.hits) == 20
        assert {(hit.score_label, hit.score_kind) for hit in response.hits} == {LABELS[mode]}
        assert [hit.rank for hit in response.hits] == list(range(1, 21))
        scores = _scores(response)
        assert scores == sorted(scores, reverse=True)
        assert response.revision == garden.revision()

    def test_lexical_scores_are_positive_and_descend(self, garden: KnowledgeStore) -> None:
        scores = _scores(search(garden, "cedar", SearchMode.LEXICAL, k=50))
        assert scores
        assert min(scores) > 0
        assert scores == sorted(scores, reverse=True)

    @pytest.mark.scenario("knowledge-stores", "A vector score is the cosine")
    def test_vector_scores_are_cosines_of_all_chunks_in_order(self, garden: KnowledgeStore) -> None:
        query = EMBEDDER.embed_query("hazel leaf")
        hits = search(garden, "hazel leaf", SearchMode.VECTOR, k=50).hits
        vectors = EMBEDDER.embed_documents([f"{h.chunk.title}\n{h.chunk.text}" for h in hits])
        assert [hit.score for hit in hits] == pytest.approx(list(vectors @ query), abs=1e-5)
        assert len(hits) == 50

    @pytest.mark.scenario("knowledge-stores", "The fused score follows from the channels' ranks")
    def test_hybrid_hits_show_what_each_channel_said(self, garden: KnowledgeStore) -> None:
        by_words = search(garden, "iris juniper", SearchMode.LEXICAL, k=50)
        by_vector = search(garden, "iris juniper", SearchMode.VECTOR, k=50)
        lexical = {hit.chunk.chunk_id: hit for hit in by_words.hits}
        vector = {hit.chunk.chunk_id: hit for hit in by_vector.hits}
        for hit in search(garden, "iris juniper", k=50).hits:
            one, other = lexical.get(hit.chunk.chunk_id), vector.get(hit.chunk.chunk_id)
            said = hit.retrieval
            assert said.method == "hybrid"
            assert (said.lexical_rank, said.lexical_score) == (
                (one.rank, one.score) if one else (None, None)
            )
            assert (said.vector_rank, said.vector_score) == (
                (other.rank, other.score) if other else (None, None)
            )
            ranks = [r for r in (said.lexical_rank, said.vector_rank) if r is not None]
            fused = sum(1 / (60 + rank) for rank in ranks) / (2 / (60 + 1))
            assert hit.score == said.fusion_score == pytest.approx(fused)

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.scenario("knowledge-stores", "A larger k only appends")
    def test_three_hits_are_the_first_three_of_ten(
        self, garden: KnowledgeStore, mode: SearchMode
    ) -> None:
        three = search(garden, "fennel garlic leaf", mode, k=3)
        ten = search(garden, "fennel garlic leaf", mode, k=10)
        assert three.hits == ten.hits[:3]
        assert three.total == ten.total

    @pytest.mark.parametrize("mode", MODES)
    def test_pages_continue_each_other(self, garden: KnowledgeStore, mode: SearchMode) -> None:
        whole = search(garden, "dahlia leaf", mode, k=30).hits
        pages = [search(garden, "dahlia leaf", mode, k=10, offset=n).hits for n in (0, 10, 20)]
        assert tuple(hit for page in pages for hit in page) == whole
        assert search(garden, "dahlia leaf", mode, k=10, offset=1_000).hits == ()

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.scenario("knowledge-stores", "The same question gets the same answer")
    def test_the_same_query_gives_the_same_answer(
        self, garden: KnowledgeStore, mode: SearchMode
    ) -> None:
        first, second = (search(garden, "elder basil", mode, k=50) for _ in range(2))
        assert (first.hits, first.total, first.revision) == (
            second.hits,
            second.total,
            second.revision,
        )

    def test_a_text_that_equals_the_query_is_first_everywhere(self, garden: KnowledgeStore) -> None:
        text = fifty()[17]
        vector = EMBEDDER.embed_query(f"garden/3.md\n{text}")
        best = search(garden, text, vector=vector).hits[0]
        assert best.chunk.text == text
        assert (best.retrieval.lexical_rank, best.retrieval.vector_rank) == (1, 1)
        assert best.score == pytest.approx(1.0)
        assert best.retrieval.vector_score == pytest.approx(1.0, abs=1e-5)
        assert (best.retrieval.lexical_score or 0) > 1

    def test_words_found_nowhere_leave_the_shape_and_labels_as_they_are(
        self, garden: KnowledgeStore
    ) -> None:
        response = search(garden, "xylophone", k=5)
        report = response.channels[Channel.LEXICAL]
        assert (report.status, report.count) == (ChannelStatus.OK, 0)
        assert {hit.score_label for hit in response.hits} == {ScoreLabel.HYBRID}
        assert [hit.retrieval.vector_rank for hit in response.hits] == [1, 2, 3, 4, 5]

    @pytest.mark.parametrize("text", ["?!", "", "   ", "​"])
    def test_a_query_without_a_word_skips_the_lexical_channel(
        self, garden: KnowledgeStore, text: str
    ) -> None:
        response = search(garden, text, vector=EMBEDDER.embed_query("amber"), k=5)
        assert response.channels[Channel.LEXICAL].status is ChannelStatus.NO_TERMS
        assert response.channels[Channel.VECTOR].status is ChannelStatus.OK
        assert len(response.hits) == 5
        alone = search(garden, text, SearchMode.LEXICAL)
        assert alone.hits == ()
        assert alone.channels[Channel.LEXICAL].status is ChannelStatus.NO_TERMS

    def test_a_query_of_stop_words_alone_is_searched_for_them(self, garden: KnowledgeStore) -> None:
        response = search(garden, "the of and", SearchMode.LEXICAL)
        assert response.channels[Channel.LEXICAL].status is ChannelStatus.OK
        assert response.hits == ()

    def test_a_channel_that_cannot_read_the_query_is_reported_and_not_asked(
        self, garden: KnowledgeStore
    ) -> None:
        response = search(
            garden, "amber", vector=None, vector_status=ChannelStatus.NOT_COVERED, k=5
        )
        assert response.channels[Channel.VECTOR].status is ChannelStatus.NOT_COVERED
        assert len(response.hits) == 5
        assert all(hit.retrieval.vector_rank is None for hit in response.hits)

    def test_candidates_bound_the_ranking(self, garden: KnowledgeStore) -> None:
        response = search(garden, "leaf", SearchMode.LEXICAL, k=50, candidates=20)
        assert response.total == len(response.hits) == 20

    def test_a_snippet_is_a_verbatim_part_of_its_chunk(self, garden: KnowledgeStore) -> None:
        for hit in search(garden, "hazel number", k=20, snippet_chars=20).hits:
            snippet = hit.snippet
            assert snippet is not None
            assert snippet.text == hit.chunk.text[snippet.start : snippet.end]
            assert 0 < len(snippet.text) <= 20

    def test_ten_equal_texts_come_in_disjoint_pages_by_chunk_id(
        self, store: KnowledgeStore
    ) -> None:
        store.write_documents(
            [document(f"{n}.md", "the very same words", title="same") for n in range(10)]
        )
        for mode in MODES:
            pages = [
                [hit.chunk.chunk_id for hit in search(store, "same", mode, k=3, offset=at).hits]
                for at in (0, 3, 6, 9)
            ]
            ids = [one for page in pages for one in page]
            assert len(set(ids)) == 10, mode
            if mode is not SearchMode.HYBRID:
                assert ids == sorted(ids), mode
            assert len({hit.score for hit in search(store, "same", mode).hits}) in (1, 10)

    def test_a_chunk_without_vector_is_found_by_words_alone(self, store: KnowledgeStore) -> None:
        store.write_documents(
            [
                document("both.md", "apples and pears"),
                document("words.md", "apples and plums", vectors=[None]),
            ]
        )
        assert uris(search(store, "apples", SearchMode.VECTOR)) == ["both.md"]
        assert set(uris(search(store, "apples", SearchMode.LEXICAL))) == {"both.md", "words.md"}
        by_path = {hit.chunk.uri: hit.retrieval for hit in search(store, "apples").hits}
        assert by_path["words.md"].vector_score is None
        assert by_path["both.md"].vector_rank == 1
        assert store.stats().chunks_with_vector == 1

    def test_a_store_without_documents_answers_every_mode(self, store: KnowledgeStore) -> None:
        for mode in MODES:
            response = search(store, "anything", mode)
            assert (response.hits, response.total, response.ghosts) == ((), 0, 0)
        assert list(store.documents()) == []
        assert store.stats().documents == 0

    def test_a_document_given_twice_is_found_once(self, store: KnowledgeStore) -> None:
        other = [document(f"{n}.md", f"melon seed {n}") for n in range(4)]
        store.write_documents(
            [document("twice.md", "melon"), document("twice.md", "melon"), *other]
        )
        store.write_documents([document("twice.md", "melon")])
        for mode in MODES:
            found = uris(search(store, "melon", mode, k=5))
            assert sorted(found) == ["0.md", "1.md", "2.md", "3.md", "twice.md"], mode

    def test_twins_stay_two_documents(self, store: KnowledgeStore) -> None:
        store.write_documents(
            [document(uri, "equal words", title="one title") for uri in ("a/x.md", "b/x.md")]
        )
        for mode in MODES:
            assert sorted(uris(search(store, "equal", mode))) == ["a/x.md", "b/x.md"]
        store.delete_documents([document_id("a/x.md")])
        assert uris(search(store, "equal")) == ["b/x.md"]

    def test_unit_vectors_of_an_axis_score_one_nought_and_minus_one(
        self, store: KnowledgeStore
    ) -> None:
        axis = np.eye(EMBEDDER.identity.dimensions, dtype=np.float32)
        store.write_documents(
            [
                document("same.md", "s", vectors=[axis[0]]),
                document("across.md", "a", vectors=[axis[1]]),
                document("against.md", "g", vectors=[-axis[0]]),
            ]
        )
        response: StoreResponse = search(store, "x", SearchMode.VECTOR, vector=axis[0])
        assert texts(response) == ["s", "a", "g"]
        assert [hit.score for hit in response.hits] == pytest.approx([1, 0, -1], abs=1e-6)


def _scores(response: StoreResponse) -> list[float]:
    scores = [hit.score for hit in response.hits if hit.score is not None]
    assert len(scores) == len(response.hits)
    return scores
