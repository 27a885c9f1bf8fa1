"""What a user does with a base in Python: search, read back, look after."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import rag
from rag.base.knowledge_base import KnowledgeBase
from rag.base.search_presenter import SearchPresenter
from rag.errors import (
    ConfirmationRequiredError,
    InvalidArgumentError,
    NotFoundError,
    ReadonlyError,
    StoreNotInitialisedError,
)
from rag.retrieval import SearchQuery
from rag.samples import handbook_path
from rag.wire import to_json
from tests.base.conftest import OpenBase

QUESTIONS = (
    "how long are backups kept",
    "ERR_QUOTA_4012",
    "who signs off a restore",
    "备份保留多久",
    "장애 대응",
    "rotate signing keys every quarter",
)


@pytest.fixture
def handbook(base: KnowledgeBase) -> KnowledgeBase:
    """The sample handbook, once on each store."""
    base.ingest(handbook_path())
    return base


def test_snippets_are_verbatim_and_their_citation_holds_them(handbook: KnowledgeBase):
    """Any hit, any mode: a reader who opens the cited lines finds the snippet there."""
    seen = 0
    for question in QUESTIONS:
        for mode in ("hybrid", "lexical", "vector"):
            for hit in handbook.search(question, mode=mode, k=50, snippet_chars=90).hits:
                assert hit.snippet is not None
                text = handbook.fetch_chunk(hit.chunk_id).text
                assert hit.snippet.text in text
                assert len(hit.snippet.text) <= 90
                cited = handbook.fetch_span(hit.citation.ref).text
                assert hit.snippet.text.strip("\n") in cited
                for start, end in hit.snippet.matches:
                    assert hit.snippet.text[start:end].strip()
                seen += 1
    assert seen > 60


def test_the_three_numbers_of_a_hit_are_three(handbook: KnowledgeBase):
    top = handbook.search("how long are backups kept").hits[0]
    detail = top.retrieval
    assert detail.lexical_score is not None
    assert detail.vector_score is not None
    assert detail.fusion_score == top.score == 1.0
    assert len({detail.fusion_score, detail.lexical_score, detail.vector_score}) == 3


def test_three_hits_are_the_first_three_of_ten(handbook: KnowledgeBase):
    three, ten = (handbook.search("backups", k=k).hits for k in (3, 10))
    key = [(hit.chunk_id, hit.score) for hit in ten[:3]]
    assert [(hit.chunk_id, hit.score) for hit in three] == key


def test_staleness_is_strict_and_the_same_for_hits_and_fetches(open_base: OpenBase):
    base = open_base(search={"stale_after_days": 30})
    base.ingest_text("# Tea\n\nGreen tea.\n", name="tea.md")
    query = SearchQuery(text="tea")
    (document,) = base.documents()
    then = datetime.fromisoformat(document.indexed_at)

    def presenter(now: datetime) -> SearchPresenter:
        parts = base.parts
        return SearchPresenter(
            parts.service,
            normalizer=parts.presenter._normalizer,
            post_processor=parts.presenter._post_processor,
            analyzer=parts.presenter._analyzer,
            counter=parts.counter,
            settings=base.settings.search,
            weights=parts.weights,
            now=lambda: now,
        )

    month = timedelta(days=30)
    assert presenter(then + month).search(query).hits[0].stale is False
    late = then + month + timedelta(seconds=1)
    assert presenter(late).search(query).hits[0].stale is True
    assert base.fetch_document("tea.md").stale is False
    assert base.parts.fetcher.is_stale((datetime.now(UTC) - 2 * month).isoformat()) is True
    assert base.describe().contents.stale == 0


def test_a_budget_counts_with_the_configured_counter(open_base: OpenBase):
    base = open_base(evidence={"token_counter": "o200k"})
    base.ingest(handbook_path())
    found = base.search("backups", k=20, max_tokens=1_200)
    assert found.budget is not None
    assert found.budget.counter == base.parts.counter.name
    emitted = ",".join(map(to_json, found.hits))
    assert base.parts.counter.count(emitted) == found.budget.used <= 1_200


def test_many_searches_answer_as_one_by_one(handbook: KnowledgeBase):
    items = handbook.search_many(["backups", {"query": "keys", "k": 2}, {"query": ""}])
    assert [item.error and item.error.code for item in items] == [None, None, "empty_query"]
    assert items[0].response is not None
    assert items[0].response.hits == handbook.search("backups").hits
    with pytest.raises(InvalidArgumentError, match="at most 100"):
        handbook.search_many(["a"] * 101)


def test_reset_asks_for_a_confirmation_and_names_the_sources(handbook: KnowledgeBase):
    with pytest.raises(ConfirmationRequiredError, match="all 8 documents"):
        handbook.reset()
    with pytest.raises(NotFoundError) as raised:
        handbook.reset(source="nope", confirm=True)
    assert raised.value.allowed == "default"
    assert len(handbook.documents()) == 8
    report = handbook.reset(confirm=True)
    assert (report.documents, handbook.documents()) == (8, ())
    stats = handbook.parts.store.stats()
    assert (stats.documents, stats.chunks, stats.chunks_with_vector) == (0, 0, 0)
    assert handbook.search("backups").index_empty is True


@pytest.mark.parametrize("place", ["base", "base.db"])
def test_a_readonly_base_reads_and_refuses_every_write(
    open_base: OpenBase, tmp_path: Path, place: str
):
    open_base(place).ingest_text("# Tea\n\nGreen tea.\n", name="tea.md")
    settings = rag.load_settings(
        store={"uri": str(tmp_path / place)}, embedding={"embedder": "hashing"}, readonly=True
    )
    with rag.open(settings) as base:
        assert base.search("tea").hits
        revision = base.parts.store.revision()
        for write in (
            lambda: base.ingest(tmp_path),
            lambda: base.ingest_text("x", name="a.md"),
            lambda: base.delete("tea.md"),
            lambda: base.reset(confirm=True),
            base.repair,
        ):
            with pytest.raises(ReadonlyError):
                write()
        assert base.parts.store.revision() == revision


@pytest.mark.parametrize("place", ["nothing", "nothing.db"])
def test_a_readonly_base_is_not_made(tmp_path: Path, place: str):
    settings = rag.load_settings(
        store={"uri": str(tmp_path / place)}, embedding={"embedder": "hashing"}, readonly=True
    )
    with pytest.raises(StoreNotInitialisedError):
        rag.open(settings)
    assert not (tmp_path / place).exists()


def test_closing_twice_is_harmless(open_base: OpenBase):
    base = open_base()
    base.close()
    base.close()


def test_what_is_deleted_between_two_reads_is_a_not_found_error(handbook: KnowledgeBase):
    document = handbook.documents()[0]
    handbook.delete(document.uri)
    for read in (handbook.fetch_document, handbook.inspect_document, handbook.delete):
        with pytest.raises(NotFoundError):
            read(document.doc_id)


def test_a_description_counts_what_is_stored(handbook: KnowledgeBase):
    handbook.ingest_text("# Old\n\nOld.\n", name="old.txt", tags=["a", "b"], source="said")
    held = handbook.describe().contents
    assert held.sources == {"default": 8, "said": 1}
    assert held.media["text"] == 1
    assert held.tags["a"] == held.tags["b"] == 1
    assert held.last_indexed_at == max(d.indexed_at for d in handbook.documents())
    assert replace(held, stale=0) == held
