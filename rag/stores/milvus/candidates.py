"""A channel's ranking out of what an engine returned."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rag.ranking.records import (
    Channel,
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
    StoredChunk,
)
from rag.stores.filters import SearchFilter
from rag.stores.milvus.index import MilvusIndex
from rag.stores.milvus.rows import CandidateChunk, candidate_chunk, chunk_and_batch
from rag.stores.milvus.schema import CANDIDATE_FIELDS, FILTER_FIELDS, ROW_ID


def candidate_fields(filters: SearchFilter) -> tuple[str, ...]:
    """Return the fields to fetch with each candidate: what ranking and filter need."""
    wanted = (FILTER_FIELDS[key] for key in filters.canonical())
    return tuple(dict.fromkeys((*CANDIDATE_FIELDS, *wanted)))


def ranked(
    channel: Channel, scored: Iterable[tuple[float, Mapping[str, Any]]]
) -> tuple[SearchHit, ...]:
    """Return hits in rank order, scores descending, ties by chunk id, each chunk row once.

    Of rows of one chunk and write the best counts: a chunk with very many words has several.
    """
    best: dict[tuple[str, str], tuple[float, Mapping[str, Any]]] = {}
    for score, row in scored:
        key = chunk_and_batch(row[ROW_ID])
        if key not in best or _order(score) > _order(best[key][0]):
            best[key] = score, row
    ordered = sorted(best.items(), key=lambda one: (-_order(one[1][0]), one[0][0]))
    hit = _lexical_hit if channel is Channel.LEXICAL else _vector_hit
    return tuple(
        hit(candidate_chunk(row), rank, score) for rank, (_, (score, row)) in enumerate(ordered, 1)
    )


def with_chunks(hits: Sequence[SearchHit], index: MilvusIndex) -> tuple[SearchHit, ...]:
    """Return the hits with their chunks read; one whose row is gone is left out, ranks stay."""
    wanted = [hit.chunk for hit in hits if isinstance(hit.chunk, CandidateChunk)]
    chunks = index.read_chunks(wanted)
    return tuple(
        replace(hit, chunk=chunks[hit.chunk.chunk_id])
        for hit in hits
        if hit.chunk.chunk_id in chunks
    )


def _order(score: float) -> float:
    return -math.inf if math.isnan(score) else score


def _lexical_hit(chunk: StoredChunk, rank: int, score: float) -> SearchHit:
    return SearchHit(
        chunk=chunk,
        rank=rank,
        score=score,
        score_label=ScoreLabel.HYBRID,
        score_kind=ScoreKind.BM25,
        retrieval=RetrievalDetail(method="lexical", lexical_score=score, lexical_rank=rank),
    )


def _vector_hit(chunk: StoredChunk, rank: int, score: float) -> SearchHit:
    return SearchHit(
        chunk=chunk,
        rank=rank,
        score=score,
        score_label=ScoreLabel.DENSE,
        score_kind=ScoreKind.COSINE,
        retrieval=RetrievalDetail(method="vector", vector_score=score, vector_rank=rank),
    )
