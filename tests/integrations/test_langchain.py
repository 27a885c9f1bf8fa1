"""The LangChain adapter against the real library."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ValidationError

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import EmptyQueryError, InvalidFilterError, StoreError
from rag.integrations.langchain import KnowledgeRetriever, foreign_hits, lookup_tool
from rag.tool import EvidenceChain, ForeignHit, tool_definition
from rag.wire import to_wire
from tests.integrations.questions import BACKUPS, BACKUPS_REF


def _call(**arguments: Any) -> dict[str, Any]:
    return {"name": "lookup_knowledge", "args": arguments, "id": "call-1", "type": "tool_call"}


def _untimed(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in ("took_ms", "channels")}


@pytest.mark.scenario("framework-adapters", "A LangChain retriever")
def test_documents_are_the_hits_of_a_search_in_its_order(base: KnowledgeBase):
    retriever = KnowledgeRetriever(base=base, k=4)
    documents = retriever.invoke(BACKUPS)
    hits = base.search(BACKUPS, k=4).hits
    assert [one.id for one in documents] == [hit.chunk_id for hit in hits]
    for document, hit in zip(documents, hits, strict=True):
        expected = to_wire(hit)
        del expected["snippet"], expected["schema_version"]
        assert document.metadata == {**expected, "citation": hit.citation.ref}
        assert document.page_content == base.fetch_chunk(hit.chunk_id).text
    assert documents[0].metadata["citation"] == BACKUPS_REF
    assert documents[0].metadata["score_kind"] == "rrf"
    assert asyncio.run(retriever.ainvoke(BACKUPS)) == documents


def test_mode_and_filters_are_those_of_the_base(base: KnowledgeBase):
    found = KnowledgeRetriever(base=base, mode="lexical", filters={"path_glob": "backups.md"})
    documents = found.invoke(BACKUPS)
    assert {one.metadata["doc_path"] for one in documents} == {"backups.md"}
    assert {one.metadata["score_kind"] for one in documents} == {"bm25"}


def test_a_retriever_raises_the_errors_of_a_search(base: KnowledgeBase):
    with pytest.raises(EmptyQueryError):
        KnowledgeRetriever(base=base).invoke(" ")
    with pytest.raises(InvalidFilterError):
        KnowledgeRetriever(base=base, filters={"colour": "red"}).invoke(BACKUPS)
    with pytest.raises(ValidationError):
        KnowledgeRetriever(base="kb")


def test_the_tool_shows_a_model_what_every_surface_shows(base: KnowledgeBase):
    assert convert_to_openai_tool(lookup_tool(base)) == tool_definition("openai")


@pytest.mark.scenario("framework-adapters", "A LangChain tool call")
def test_a_tool_call_gives_a_text_and_the_result(base: KnowledgeBase):
    message = lookup_tool(base).invoke(_call(query=BACKUPS, k=2, mode=None))
    assert isinstance(message, ToolMessage)
    assert message.status == "success"
    expected = base.lookup(BACKUPS, k=2)
    assert _untimed(message.artifact) == _untimed(to_wire(expected))
    assert message.content.startswith(expected.message)
    assert message.content.endswith(expected.context)
    again = asyncio.run(lookup_tool(base).ainvoke(_call(query=BACKUPS, k=2)))
    assert again.content == message.content


@pytest.mark.scenario("framework-adapters", "An argument at fault in LangChain")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": BACKUPS, "k": 0}, "'k' must be a whole number from 1 to 200"),
        ({}, "'query' is missing"),
        ({"query": "  "}, "code: empty_query"),
        ({"query": BACKUPS, "colour": "red"}, "unknown argument 'colour'"),
        ({"query": BACKUPS, "filters": {"colour": 1}}, "unknown filter key 'colour'"),
    ],
)
def test_arguments_at_fault_go_back_to_the_model(
    base: KnowledgeBase, arguments: dict[str, Any], said: str
):
    message = lookup_tool(base).invoke(_call(**arguments))
    assert message.status == "error"
    assert said in message.content


def test_a_base_that_fails_is_told_to_the_program(base: KnowledgeBase):
    tool = lookup_tool(base)
    base.close()
    with pytest.raises(StoreError):
        tool.invoke(_call(query=BACKUPS))


def test_look_ups_of_one_conversation_are_counted(base: KnowledgeBase):
    tool = lookup_tool(base, session_id="chat-1")
    for left in (2, 1, 0):
        message = tool.invoke(_call(query="zxcm"))
        assert message.artifact["retry"]["attempts_left"] == left
    other = lookup_tool(base, session_id="chat-2").invoke(_call(query="zxcm"))
    assert other.artifact["retry"]["attempts_left"] == 2


def test_documents_of_other_retrievers_become_hits_with_what_is_known_of_them():
    one = Document("Peas.", id="d1", metadata={"source": "a.md", "title": "Peas", "page": 0})
    two = Document("Beans.", metadata={"url": "https://example.org/b", "source": 7})
    assert foreign_hits([(one, 0.5), two]) == [
        ForeignHit(text="Peas.", score=0.5, uri="a.md", title="Peas", chunk_id="d1"),
        ForeignHit(text="Beans.", uri="https://example.org/b"),
    ]


def test_our_own_documents_are_cited_by_their_path(base: KnowledgeBase):
    documents = KnowledgeRetriever(base=base, k=1).invoke(BACKUPS)
    result = EvidenceChain().lookup(BACKUPS, foreign_hits(documents), score_kind="rank")
    assert result.evidence[0].citation.ref == "backups.md"


@pytest.mark.parametrize(
    ("mode", "kind"), [("vector", "cosine"), ("lexical", "bm25"), ("hybrid", "rrf")]
)
def test_the_chain_gives_our_own_hits_the_qualities_that_a_look_up_gives(
    base: KnowledgeBase, mode: str, kind: str
):
    documents = KnowledgeRetriever(base=base, mode=mode, k=8).invoke(BACKUPS)
    hits = foreign_hits((one, one.metadata["score"]) for one in documents)
    chain = EvidenceChain(base.settings)
    given = chain.lookup(BACKUPS, hits, score_kind=kind, budget_tokens=4_000)
    expected = base.lookup(BACKUPS, mode=mode, k=8, budget_tokens=4_000)
    assert [(one.citation.chunk_id, one.rank, one.quality) for one in given.evidence] == [
        (one.citation.chunk_id, one.rank, one.quality) for one in expected.evidence
    ]
    assert (given.relevance_level, given.level_basis, given.mode) == (
        expected.relevance_level,
        expected.level_basis,
        expected.mode,
    )
