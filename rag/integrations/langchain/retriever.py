"""A base as a LangChain retriever."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from rag.base.knowledge_base import KnowledgeBase
from rag.integrations.ranked_chunks import ranked_chunks


class KnowledgeRetriever(BaseRetriever):
    """Gives the hits of a base as documents, in retrieval order.

    A document's metadata are the fields of ``search_hit.v1``: citation, ids, rank, score with
    its kind, quality, and what each channel said. ``ainvoke`` does the same in a thread.
    Errors are ``RagError``.
    """

    base: KnowledgeBase
    mode: str | None = None
    k: int | None = None
    filters: dict[str, Any] | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = ranked_chunks(self.base, query, mode=self.mode, k=self.k, filters=self.filters)
        return [
            Document(id=one.chunk_id, page_content=one.text, metadata=dict(one.metadata))
            for one in found
        ]
