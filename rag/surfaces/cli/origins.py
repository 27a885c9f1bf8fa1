"""Says of documents of one path which is which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rag.evidence.records import Citation
from rag.retrieval.document_origin import origin_of

if TYPE_CHECKING:
    from rag.base.knowledge_base import KnowledgeBase

Origins = Mapping[str, str]
"""By doc_id: the source, and tenant if any; only for documents whose path another one has too."""


def origins_of(base: KnowledgeBase, citations: Iterable[Citation]) -> Origins:
    """Return where the documents come from that share their path with another one cited."""
    of_path = defaultdict(set)
    for one in citations:
        of_path[one.uri].add(one.doc_id)
    shared = [doc_id for ids in of_path.values() if len(ids) > 1 for doc_id in ids]
    found = ((doc_id, base.parts.store.document(doc_id)) for doc_id in shared)
    return {doc_id: origin_of(one) for doc_id, one in found if one is not None}


def cited(one: Citation, origins: Origins) -> str:
    """Return a citation, with where its document comes from if the path alone does not tell."""
    origin = origins.get(one.doc_id)
    return f"{one.ref} ({origin})" if origin else one.ref
