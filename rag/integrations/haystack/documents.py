"""Haystack's documents as hits that the evidence chain takes, and evidence as documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from haystack import Document

from rag.evidence import RagToolResult
from rag.integrations.foreign_metadata import foreign_hit
from rag.integrations.given_items import given_items
from rag.tool import ForeignHit
from rag.wire import to_wire

NOT_META = ("text", "quality")  # they are the document's content and score


def foreign_hits(documents: Sequence[Document]) -> list[ForeignHit]:
    """Return the hits that any retriever's documents are, in their order, scores as they are."""
    return [
        foreign_hit(
            one.content,
            one.meta,
            score=one.score,
            chunk_id=one.id,
            doc_id=one.meta.get("source_id"),
        )
        for one in given_items(documents, _is_document, "a list of Documents")
    ]


def _is_document(one: object) -> bool:
    return isinstance(one, Document)


def judged_documents(result: RagToolResult, given: Sequence[Document]) -> list[Document]:
    """Return those of the documents that are evidence, in order, with scores as they came.

    ``content`` is cut where the budget cut it; ``meta`` has also what is known of the piece now.
    """
    return [
        replace(
            given[item.rank - 1],
            content=item.text,
            meta={
                **given[item.rank - 1].meta,
                "citation": item.citation.ref,
                "rank": item.rank,
                "quality": item.quality,
                "quality_flags": list(item.flags),
                "truncated": item.truncated,
                "relevance_level": str(result.relevance_level),
                "level_basis": str(result.level_basis),
            },
        )
        for item in result.evidence
    ]


def evidence_documents(result: RagToolResult) -> list[Document]:
    """Return the evidence of a result as documents, in its order.

    ``score`` is the quality, a ranking signal in [0, 1]. ``meta`` are the other fields of the
    piece as JSON values, with ``citation`` in its short form, such as ``guide/a.md#L7-L12``.
    """
    documents = []
    for item, wire in zip(result.evidence, to_wire(result)["evidence"], strict=True):
        meta = {name: value for name, value in wire.items() if name not in NOT_META}
        meta |= {"citation": item.citation.ref, "doc_id": item.citation.doc_id}
        meta["level_basis"] = str(result.level_basis)
        documents.append(
            Document(id=item.citation.chunk_id, content=item.text, score=item.quality, meta=meta)
        )
    return documents
