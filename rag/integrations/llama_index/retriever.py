"""A base as a LlamaIndex retriever."""

from __future__ import annotations

import asyncio

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import (
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)

from rag.base.knowledge_base import Filters, KnowledgeBase
from rag.integrations.ranked_chunks import RankedChunk, ranked_chunks

FOR_THE_MODEL = {"citation", "title"}  # a model reads these; numbers would only mislead it


class KnowledgeRetriever(BaseRetriever):
    """Gives the hits of a base as nodes, in retrieval order.

    A node's ``score`` is the hit's raw score, and ``metadata["score_kind"]`` says what that is:
    ``rrf`` in [0, 1], ``cosine`` in [-1, 1], ``bm25`` without an upper end. It is no confidence,
    and a cut-off on it means something for ``cosine`` alone. Errors are ``RagError``.
    """

    def __init__(
        self,
        base: KnowledgeBase,
        *,
        mode: str | None = None,
        k: int | None = None,
        filters: Filters = None,
    ) -> None:
        super().__init__()
        self._base = base
        self._mode = mode
        self._k = k
        self._filters = filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = ranked_chunks(
            self._base, query_bundle.query_str, mode=self._mode, k=self._k, filters=self._filters
        )
        return [NodeWithScore(node=_node(one), score=one.score) for one in found]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(chunk: RankedChunk) -> TextNode:
    hidden = [name for name in chunk.metadata if name not in FOR_THE_MODEL]
    return TextNode(
        id_=chunk.chunk_id,
        text=chunk.text,
        metadata=dict(chunk.metadata),
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=chunk.doc_id)},
    )
