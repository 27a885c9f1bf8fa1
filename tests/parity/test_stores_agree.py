"""Both stores, asked the same two hundred questions over the same real documents, agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import rag
from rag.ingest.index_text import index_text
from rag.ranking import ReciprocalRankFusion
from rag.ranking.fusion_policy import ChannelEntry
from rag.ranking.records import Channel, SearchMode, StoredChunk
from rag.stores.local import LocalKnowledgeStore
from rag.stores.local.bm25 import HEADING_WEIGHT
from rag.stores.records import ChannelStatus, StoreQuery, StoreResponse
from rag.testing import HashingEmbedder
from rag.text import Analyzer
from tests.parity.agreement import LEAST_OVERLAP, SINGLE_PRECISION, descends, overlap
from tests.parity.corpus import QUESTIONS, questions, write_files
from tests.parity.okapi import Okapi

TOP = 10
EVERY = 20  # questions between two that are also asked in the single modes
ANALYZER = Analyzer()
EMBEDDER = HashingEmbedder()
LOCAL, LITE = "base", "kb.db"
# Milvus has one field of words, headings and text alike; the local store counts headings for more
HEADING_WEIGHTS = {LOCAL: HEADING_WEIGHT, LITE: 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What both stores hold, by store, and answered in hybrid mode, by store and question."""

    bases: Mapping[str, rag.KnowledgeBase]
    chunks: Mapping[str, StoredChunk]
    answers: Mapping[str, Sequence[StoreResponse]]

    def ids(self, store: str, question: int, channel: Channel, depth: int = TOP) -> list[str]:
        """Return the chunk ids of a channel's ranking, best first."""
        return [entry.chunk_id for entry in self.ranking(store, question, channel)[:depth]]

    def ranking(self, store: str, question: int, channel: Channel) -> Sequence[ChannelEntry]:
        """Return a channel's whole ranking."""
        return self.answers[store][question].channels[channel].ranking


def ask(base: rag.KnowledgeBase, text: str, mode: SearchMode = SearchMode.HYBRID) -> StoreResponse:
    """Ask the store itself, with the question's vector where the mode needs one."""
    by_words = mode is SearchMode.LEXICAL
    return base.parts.store.search(
        StoreQuery(
            text=text,
            mode=mode,
            k=TOP,
            vector=None if by_words else EMBEDDER.embed_query(text),
            vector_status=ChannelStatus.OFF if by_words else ChannelStatus.OK,
        )
    )


def stored(base: rag.KnowledgeBase) -> dict[str, StoredChunk]:
    """Return every chunk that a base holds by its id."""
    return {
        chunk.chunk_id: chunk
        for document in base.documents()
        for chunk in base.parts.store.chunks(document.doc_id)
    }


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Both stores, filled from one folder and asked everything once."""
    folder = tmp_path_factory.mktemp("parity")
    write_files(folder / "files")
    bases = {name: open_at(folder / name) for name in (LOCAL, LITE)}
    for base in bases.values():
        base.ingest(folder / "files")
    yield Asked(
        bases=bases,
        chunks=stored(bases[LOCAL]),
        answers={name: [ask(base, text) for text in questions()] for name, base in bases.items()},
    )
    for base in bases.values():
        base.close()


def open_at(path: Path) -> rag.KnowledgeBase:
    """Open the base at a path, with an embedder that needs no model."""
    settings = rag.load_settings(
        store={"uri": str(path)}, embedding={"embedder": "hashing", "cache": False}
    )
    return rag.open(settings)


def test_there_are_two_hundred_questions_and_both_stores_hold_the_same(asked: Asked) -> None:
    assert len(set(questions())) == QUESTIONS
    others = {document.uri: document for document in asked.bases[LITE].documents()}
    for document in asked.bases[LOCAL].documents():
        other = others.pop(document.uri)
        assert (document.doc_id, document.content_hash, document.chunk_count) == (
            other.doc_id,
            other.content_hash,
            other.chunk_count,
        )
    assert others == {}


def test_a_hybrid_search_reports_the_rankings_that_the_single_modes_return(asked: Asked) -> None:
    """So that what follows holds of those modes, though every question is asked only once."""
    modes = {SearchMode.LEXICAL: Channel.LEXICAL, SearchMode.VECTOR: Channel.VECTOR}
    for number in range(0, QUESTIONS, EVERY):
        for name, base in asked.bases.items():
            for mode, channel in modes.items():
                alone = ask(base, questions()[number], mode)
                ids = [hit.chunk.chunk_id for hit in alone.hits]
                assert ids == asked.ids(name, number, channel), (name, questions()[number])


@pytest.mark.scenario("knowledge-stores", "Both stores rank vectors alike")
def test_both_stores_rank_vectors_alike(asked: Asked) -> None:
    """The same ids on the same ranks with the cosines that numpy gives, ties by chunk id."""
    ids = list(asked.chunks)
    vectors = EMBEDDER.embed_documents(
        [index_text(c.title, c.heading_path, c.text) for c in asked.chunks.values()]
    ).astype(np.float64)
    places = {chunk_id: place for place, chunk_id in enumerate(ids)}
    apart = 0
    for number, text in enumerate(questions()):
        exact = vectors @ EMBEDDER.embed_query(text).astype(np.float64)
        ones = asked.ranking(LOCAL, number, Channel.VECTOR)[:TOP]
        others = asked.ranking(LITE, number, Channel.VECTOR)[:TOP]
        assert len(ones) == len(others) == TOP
        apart += [one.chunk_id for one in ones] != [other.chunk_id for other in others]
        for place, (one, other) in enumerate(zip(ones, others, strict=True)):
            cosine = exact[places[one.chunk_id]]
            assert one.score == pytest.approx(cosine, abs=SINGLE_PRECISION)
            assert other.score == pytest.approx(cosine, abs=2 * SINGLE_PRECISION)
            if place and one.score == ones[place - 1].score:
                assert one.chunk_id > ones[place - 1].chunk_id
    # two cosines may lie just as far apart as single precision can tell
    assert apart <= QUESTIONS // 100


@pytest.mark.scenario("knowledge-stores", "A lexical difference follows from the formula")
def test_each_stores_lexical_order_and_every_difference_follow_from_its_own_formula(
    asked: Asked,
) -> None:
    overlaps, differing = [], 0
    formulas = {
        name: Okapi(asked.chunks.values(), ANALYZER, heading_weight=weight)
        for name, weight in HEADING_WEIGHTS.items()
    }
    for number, text in enumerate(questions()):
        terms = ANALYZER.query_terms(text)
        tops = {name: asked.ids(name, number, Channel.LEXICAL) for name in formulas}
        for name, formula in formulas.items():
            ranking = asked.ranking(name, number, Channel.LEXICAL)
            for entry in ranking[: 2 * TOP]:
                right = formula.score(terms, entry.chunk_id)
                assert entry.score == pytest.approx(right, rel=SINGLE_PRECISION), (name, text)
            scores = [formula.score(terms, chunk_id) for chunk_id in tops[name]]
            least = min(scores, default=0.0)
            assert descends(scores), (name, text)
            # what only the other store has is, by this store's formula, no better than its last
            for chunk_id in set(tops[LOCAL]).symmetric_difference(tops[LITE]) - set(tops[name]):
                differing += 1
                assert formula.score(terms, chunk_id) <= least * (1 + SINGLE_PRECISION)
        overlaps.append(overlap(tops[LOCAL], tops[LITE]))
    assert differing  # the formulas do differ, and that is all
    assert mean(overlaps) >= LEAST_OVERLAP, mean(overlaps)


def test_with_headings_weighed_alike_the_stores_rank_words_alike(asked: Asked) -> None:
    """So the weight of headings is all that their formulas differ by."""
    local = LocalKnowledgeStore(
        asked.bases[LOCAL].settings.store.uri,
        analyzer=ANALYZER,
        embedder=EMBEDDER.identity,
        fusion=ReciprocalRankFusion(),
        heading_weight=1.0,
        create=False,
        readonly=True,
    )
    for number, text in enumerate(questions()):
        ones = local.search(StoreQuery(text=text, mode=SearchMode.LEXICAL, k=TOP)).hits
        others = asked.ranking(LITE, number, Channel.LEXICAL)[:TOP]
        assert [one.score for one in ones] == pytest.approx(
            [other.score for other in others], rel=SINGLE_PRECISION
        )
        scores = {one.chunk.chunk_id: one.score for one in ones}
        last = ones[-1].score if ones else 0.0
        for one, other in zip(ones, others, strict=True):  # equal ids, or equal scores
            assert scores.get(other.chunk_id, last) == pytest.approx(
                one.score, rel=SINGLE_PRECISION
            )
    local.close()


def test_hybrid_answers_overlap(
    asked: Asked, record_property: Callable[[str, object], None]
) -> None:
    tops = {
        name: [[hit.chunk.chunk_id for hit in answer.hits] for answer in answers]
        for name, answers in asked.answers.items()
    }
    shares = [overlap(one, other) for one, other in zip(tops[LOCAL], tops[LITE], strict=True)]
    record_property("hybrid_overlap_at_10", round(mean(shares), 4))
    assert mean(shares) >= LEAST_OVERLAP, mean(shares)
