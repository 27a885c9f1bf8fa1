"""The LlamaIndex adapter against the real library."""

from __future__ import annotations

import asyncio

import pytest
from llama_index.core import get_response_synthesizer
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import (
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import EmptyQueryError, InvalidArgumentError
from rag.integrations.llama_index import EvidencePostprocessor, KnowledgeRetriever, foreign_hits
from rag.settings import load_settings
from rag.tool import ForeignHit, JudgedHits
from tests.integrations.questions import BACKUPS, BACKUPS_REF


def _nodes(*scored: tuple[str, float | None]) -> list[NodeWithScore]:
    return [
        NodeWithScore(
            node=TextNode(
                id_=f"n{place}",
                text=text,
                metadata={"file_path": f"{place}.md"},
                excluded_llm_metadata_keys=["file_path"],
            ),
            score=score,
        )
        for place, (text, score) in enumerate(scored)
    ]


@pytest.mark.scenario("framework-adapters", "A LlamaIndex retriever")
def test_nodes_are_the_hits_of_a_search_in_its_order(base: KnowledgeBase):
    retriever = KnowledgeRetriever(base, k=4, mode="vector")
    nodes = retriever.retrieve(BACKUPS)
    hits = base.search(BACKUPS, k=4, mode="vector").hits
    assert [one.node.node_id for one in nodes] == [hit.chunk_id for hit in hits]
    assert [one.score for one in nodes] == [hit.score for hit in hits]
    assert {one.metadata["score_kind"] for one in nodes} == {"cosine"}
    assert [one.node.ref_doc_id for one in nodes] == [hit.doc_id for hit in hits]
    assert asyncio.run(retriever.aretrieve(BACKUPS)) == nodes


def test_a_model_is_shown_no_number_that_could_mislead_it(base: KnowledgeBase):
    node = KnowledgeRetriever(base, k=1).retrieve(BACKUPS)[0].node
    shown, _, text = node.get_content(MetadataMode.LLM).partition("\n\n")
    assert sorted(shown.splitlines()) == [f"citation: {BACKUPS_REF}", "title: Backups"]
    assert text.strip() == node.get_content(MetadataMode.NONE).strip()


def test_a_retriever_raises_the_errors_of_a_search(base: KnowledgeBase):
    with pytest.raises(EmptyQueryError):
        KnowledgeRetriever(base).retrieve(" ")


@pytest.mark.scenario("framework-adapters", "LlamaIndex nodes of another retriever")
def test_nodes_of_another_retriever_are_judged_in_their_order():
    nodes = _nodes(("Peas.", 0.7), ("Peas.", 0.65), ("Beans climb.", 0.31))
    before = [one.model_copy(deep=True) for one in nodes]
    heard: list[JudgedHits] = []
    judge = EvidencePostprocessor("cosine", on_judged=heard.append)
    kept = judge.postprocess_nodes(nodes, query_str="when are peas sown?")
    assert [(one.node.node_id, one.score) for one in kept] == [("n0", 0.7), ("n2", 0.31)]
    assert [one.metadata["quality"] for one in kept] == [0.7, 0.31]
    assert kept[1].metadata == {
        "file_path": "2.md",
        "rank": 3,
        "quality": 0.31,
        "quality_flags": [],
        "relevance_level": "high",
        "level_basis": "similarity",
    }
    assert kept[1].node.get_content(MetadataMode.LLM) == "Beans climb."
    assert nodes == before
    assert heard == [judge.judge(nodes)]
    (drop,) = heard[0].processed.dropped
    assert (drop.chunk_id, drop.reason, drop.of) == ("n1", "duplicate_of", "n0")
    assert heard[0].decision.level == "high"


def test_a_query_engine_answers_from_what_was_judged(base: KnowledgeBase):
    heard: list[JudgedHits] = []
    engine = RetrieverQueryEngine(
        retriever=KnowledgeRetriever(base, k=6, mode="vector"),
        response_synthesizer=get_response_synthesizer(llm=MockLLM()),
        node_postprocessors=[
            EvidencePostprocessor("cosine", min_quality=0.2, on_judged=heard.append)
        ],
    )
    response = engine.query(BACKUPS)
    (judged,) = heard
    kept = [piece.rated.chunk.chunk_id for piece in judged.processed.evidence]
    assert [one.node.node_id for one in response.source_nodes] == kept
    assert judged.processed.dropped != ()
    assert f"citation: {BACKUPS_REF}" in str(response)
    assert "quality" not in str(response)


def test_with_no_node_left_the_verdict_is_still_heard():
    heard: list[JudgedHits] = []
    judge = EvidencePostprocessor("cosine", min_quality=0.5, on_judged=heard.append)
    assert judge.postprocess_nodes(_nodes(("Peas.", 0.1)), QueryBundle("frost")) == []
    assert heard[0].decision.reason == "below_threshold"
    assert asyncio.run(judge.apostprocess_nodes(_nodes(("Peas.", 0.9))))[0].score == 0.9


@pytest.mark.parametrize("kind", [None, "similarity"])
def test_a_post_processor_without_a_kind_is_refused(kind: str | None):
    with pytest.raises(InvalidArgumentError, match="cosine, bm25, rrf, minmax, rank"):
        EvidencePostprocessor(kind)


def test_settings_of_evidence_and_gate_hold():
    strict = load_settings(gate={"high": 0.95}, evidence={"min_quality": 0.4})
    judge = EvidencePostprocessor("cosine", settings=strict)
    kept = judge.postprocess_nodes(_nodes(("Peas.", 0.9), ("Beans.", 0.3)))
    assert [one.metadata["relevance_level"] for one in kept] == ["medium"]


def test_it_is_written_down_by_its_kind_and_read_again():
    written = EvidencePostprocessor("bm25", min_quality=0.25).to_dict()
    assert (written["score_kind"], written["min_quality"]) == ("bm25", 0.25)
    again = EvidencePostprocessor.from_dict(written)
    kept = again.postprocess_nodes(_nodes(("Peas.", 9.0), ("Beans.", 2.0), ("Leeks.", None)))
    assert [one.metadata["quality"] for one in kept] == [1, 1 - 1 / 3, 1 - 2 / 3]


def test_a_node_tells_its_document_where_it_knows_it():
    node = TextNode(
        id_="n1",
        text="Peas.",
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id="doc-1")},
        metadata={"file_name": "a.md"},
    )
    assert foreign_hits([NodeWithScore(node=node, score=0.5)]) == [
        ForeignHit(text="Peas.", score=0.5, uri="a.md", chunk_id="n1", doc_id="doc-1")
    ]
