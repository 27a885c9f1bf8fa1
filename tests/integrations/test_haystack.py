"""The Haystack adapter against the real library."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.core.errors import DeserializationError
from haystack.document_stores.in_memory import InMemoryDocumentStore

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import (
    ConfigError,
    InvalidArgumentError,
    InvalidFilterError,
    StoreNotInitialisedError,
)
from rag.evidence import RagToolResult
from rag.ingest.records import Span
from rag.integrations.haystack import EvidenceJudge, KnowledgeRetriever, foreign_hits
from rag.tool import ForeignHit
from tests.integrations.questions import BACKUPS, BACKUPS_REF

OURS = ["rag.integrations.haystack.*"]  # what a pipeline that is read may build


@pytest.fixture
def there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder has a base, and the settings that open it."""
    monkeypatch.chdir(place)


def _pipeline(**options: Any) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("knowledge", KnowledgeRetriever(**options))
    return pipeline


def test_documents_are_the_evidence_of_one_look_up_beside_its_result(base: KnowledgeBase):
    expected = base.lookup(BACKUPS, k=3)
    retriever = KnowledgeRetriever(k=3)
    given = retriever.run(BACKUPS)
    retriever.close()
    result = given["result"]
    assert isinstance(result, RagToolResult)
    assert (result.evidence, result.context) == (expected.evidence, expected.context)
    documents = given["documents"]
    assert [one.content for one in documents] == [item.text for item in expected.evidence]
    assert [one.score for one in documents] == [item.quality for item in expected.evidence]
    first = documents[0]
    assert first.id == expected.evidence[0].citation.chunk_id
    assert first.meta["citation"] == BACKUPS_REF
    assert first.meta["retrieval"]["lexical_rank"] == 1
    assert first.meta["level_basis"] == expected.level_basis


@pytest.mark.scenario("framework-adapters", "A Haystack pipeline is written down and read again")
@pytest.mark.usefixtures("there")
def test_a_pipeline_is_written_down_and_read_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    pipeline = _pipeline(store="kb", k=2, filters={"path_glob": "*.md"})
    first = pipeline.run({"knowledge": {"query": BACKUPS}})["knowledge"]
    written = pipeline.dumps()
    assert "store: kb" in written
    assert "secret" not in written
    again = Pipeline.loads(written, allowed_modules=OURS)
    second = again.run({"knowledge": {"query": BACKUPS}})["knowledge"]
    assert second["documents"] == first["documents"]
    assert second["result"].message == first["result"].message
    third = asyncio.run(again.run_async({"knowledge": {"query": BACKUPS, "k": 1}}))
    assert len(third["knowledge"]["documents"]) == 1
    for one in (pipeline, again):
        one.close()


@pytest.mark.usefixtures("there")
def test_a_pipeline_is_read_only_by_whoever_trusts_it():
    with pytest.raises(DeserializationError, match="allowlist"):
        Pipeline.loads(_pipeline(store="kb").dumps())


@pytest.mark.usefixtures("there")
def test_a_run_may_take_other_filters_and_its_faults_are_ours():
    retriever = KnowledgeRetriever("kb", filters={"path_glob": "nothing/*"})
    assert retriever.run(BACKUPS)["result"].reason == "filtered_out"
    assert retriever.run(BACKUPS, filters={})["documents"]
    with pytest.raises(InvalidFilterError):
        retriever.run(BACKUPS, filters={"field": "meta.lang", "operator": "==", "value": "en"})
    with pytest.raises(InvalidArgumentError, match="'k' must be"):
        retriever.run(BACKUPS, k=0)
    retriever.close()
    retriever.close()


def test_a_base_that_is_not_there_is_refused_when_it_warms_up(tmp_path: Path):
    with pytest.raises(StoreNotInitialisedError):
        KnowledgeRetriever(str(tmp_path / "nowhere")).warm_up()
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(ConfigError, match="no configuration file"):
        KnowledgeRetriever(config=str(tmp_path / "none.toml")).warm_up()


@pytest.mark.scenario("framework-adapters", "Haystack documents of another retriever")
def test_documents_of_another_retriever_are_judged_in_their_order():
    store = InMemoryDocumentStore()
    texts = ("Backups are kept for 14 days.", "Backups are kept.", "Holidays are 30 days.")
    store.write_documents(
        [Document(content=text, meta={"file_path": f"{n}.md"}) for n, text in enumerate(texts)]
    )
    pipeline = Pipeline()
    pipeline.add_component("bm25", InMemoryBM25Retriever(store))
    pipeline.add_component("judge", EvidenceJudge("bm25", min_quality=0.5))
    pipeline.connect("bm25.documents", "judge.documents")
    asked = {"bm25": {"query": BACKUPS}, "judge": {"query": BACKUPS}}
    found = pipeline.run(asked, include_outputs_from={"bm25"})
    before, judged = found["bm25"]["documents"], found["judge"]["documents"]
    result = found["judge"]["result"]
    assert [(one.id, one.score) for one in judged] == [(one.id, one.score) for one in before[:2]]
    assert [one.meta["quality"] for one in judged] == [1, 1 - 1 / 3]
    assert [one.meta["file_path"] for one in judged] == [one.meta["citation"] for one in judged]
    assert "quality" not in before[0].meta
    assert result.level_basis == "ordinal"
    assert [(drop.rank, drop.reason) for drop in result.dropped] == [(3, "below_quality")]
    assert "[2] " in result.context
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=[*OURS, "haystack.*"]).get_component(
        "judge"
    )
    assert (again.score_kind, again.min_quality) == ("bm25", 0.5)


def test_a_judge_cuts_to_the_budget_and_says_so():
    documents = [Document(content="Peas are sown in March. " * 60, score=0.9)]
    given = EvidenceJudge("cosine", budget_tokens=100).run("peas", documents)
    (document,) = given["documents"]
    assert document.meta["truncated"] is True
    assert len(document.content or "") < len(documents[0].content or "")
    assert given["result"].budget.used <= 100


def test_a_judge_without_a_kind_and_a_document_without_text_are_refused():
    with pytest.raises(InvalidArgumentError, match="score_kind is missing"):
        EvidenceJudge()
    with pytest.raises(InvalidArgumentError, match="has no text"):
        EvidenceJudge("rank").run("peas", [Document(content=None)])


def test_pages_and_source_of_a_split_document_are_known():
    document = Document(
        content="Peas.", id="d", score=2.5, meta={"page_number": 3, "source_id": "s", "url": "u"}
    )
    assert foreign_hits([document]) == [
        ForeignHit(
            text="Peas.",
            score=2.5,
            uri="u",
            span=Span(kind="page", start=3, end=3),
            chunk_id="d",
            doc_id="s",
        )
    ]
