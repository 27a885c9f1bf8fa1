"""LangChain's documents as hits that the evidence chain takes."""

from __future__ import annotations

from collections.abc import Iterable

from langchain_core.documents import Document

from rag.integrations.foreign_metadata import foreign_hit
from rag.integrations.given_items import given_items
from rag.tool import ForeignHit


def foreign_hits(found: Iterable[Document | tuple[Document, float]]) -> list[ForeignHit]:
    """Return the hits of a retriever, or of a store's ``similarity_search_with_score``.

    The order is kept. Plain documents have no score; their ``score_kind`` is ``rank``.
    """
    given = given_items(found, _fits, "a list of Documents, or of pairs of Document and score")
    pairs = ((one, None) if isinstance(one, Document) else one for one in given)
    return [
        foreign_hit(document.page_content, document.metadata, score=score, chunk_id=document.id)
        for document, score in pairs
    ]


def _fits(one: object) -> bool:
    if isinstance(one, tuple | list) and len(one) == 2:
        return isinstance(one[0], Document)
    return isinstance(one, Document)
