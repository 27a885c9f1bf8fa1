"""The hits of a base with their whole text, as the retrievers of frameworks hand them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rag.base.knowledge_base import Filters, KnowledgeBase
from rag.ranking import RetrievalScoreNormalizer
from rag.retrieval import SearchQuery
from rag.stores.filters import parse_filter
from rag.wire import to_wire
from rag.wire.search_response import result_hits

NOT_METADATA = ("schema_version", "snippet")  # the whole text stands beside the metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedChunk:
    """One hit: its text, its raw score, and every field of ``search_hit.v1`` but the snippet.

    In ``metadata``, which holds JSON values only, ``citation`` is the short form of the citation,
    such as ``guide/a.md#L7-L12``, and ``score_kind`` says what ``score`` is.
    """

    chunk_id: str
    doc_id: str
    text: str
    score: float | None
    metadata: Mapping[str, Any]


def ranked_chunks(
    base: KnowledgeBase,
    query: str,
    *,
    mode: str | None = None,
    k: int | None = None,
    filters: Filters = None,
) -> tuple[RankedChunk, ...]:
    """Return the first page of hits in retrieval order.

    Raises:
        InvalidInputError: the query, mode, ``k`` or filter is at fault.
        RetrievalError: every channel that was asked failed.
    """
    response = base.parts.service.search(
        SearchQuery(text=query, mode=mode, k=k, filters=parse_filter(filters))
    )
    hits = result_hits(
        response.hits,
        RetrievalScoreNormalizer().to_quality_scores(response.hits, offset=response.offset),
        datetime.now(UTC),
        base.settings.search.stale_after_days,
    )
    chunks = []
    for found, hit in zip(response.hits, hits, strict=True):
        metadata = {k: v for k, v in to_wire(hit).items() if k not in NOT_METADATA}
        metadata["citation"] = hit.citation.ref
        chunks.append(
            RankedChunk(
                chunk_id=hit.chunk_id,
                doc_id=hit.doc_id,
                text=found.chunk.text,
                score=metadata["score"],
                metadata=metadata,
            )
        )
    return tuple(chunks)
