"""A store in memory with two honest channels, and the whole chain over it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rag.errors import StoreError
from rag.evidence import (
    EvidencePacker,
    EvidencePostProcessor,
    EvidenceProjector,
    RelevanceGate,
)
from rag.ranking import Channel, ReciprocalRankFusion, RetrievalScoreNormalizer
from rag.ranking.records import (
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
    StoredChunk,
)
from rag.retrieval import VectorSearchService
from rag.settings import Settings
from rag.stores.filter_match import matcher
from rag.stores.filters import SearchFilter
from rag.stores.hybrid_retriever import HybridRetriever
from rag.stores.records import Manifest, StoreQuery, StoreResponse, StoreStats
from rag.testing.hashing_embedder import HashingEmbedder
from rag.text import Analyzer, TokenCounter, make_token_counter
from rag.tool import LookupKnowledgeTool

ANALYZER = Analyzer()
EMBEDDER = HashingEmbedder()


@cache
def _embedded(text: str) -> NDArray[np.float32]:
    return EMBEDDER.embed_documents([text])[0]


class _Channel:
    """Ranks chunks by shared words, or by cosine."""

    def __init__(self, channel: Channel, store: WordStore) -> None:
        self.channel = channel
        self._store = store

    def index_version(self) -> str:
        return "words"

    def has_terms(self, text: str) -> bool:
        return bool(ANALYZER.query_terms(text))

    def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
        if self.channel in self._store.failing:
            raise StoreError(f"the {self.channel} index is on fire")
        passes = matcher(query.filters)
        scored = [(self._score(one, query), one) for one in self._store.chunks if passes(one)]
        kept = [(score, one) for score, one in scored if score is not None]
        kept.sort(key=lambda pair: (-pair[0], pair[1].chunk_id))
        return tuple(
            self._hit(one, rank, score)
            for rank, (score, one) in enumerate(kept[: query.candidates], start=1)
        )

    def _score(self, stored: StoredChunk, query: StoreQuery) -> float | None:
        if self.channel is Channel.VECTOR:
            assert query.vector is not None
            return float(np.dot(_embedded(stored.text), query.vector))
        shared = set(ANALYZER.terms(stored.text)) & set(ANALYZER.query_terms(query.text))
        return float(len(shared)) or None

    def _hit(self, stored: StoredChunk, rank: int, score: float) -> SearchHit:
        lexical = self.channel is Channel.LEXICAL
        return SearchHit(
            chunk=stored,
            rank=rank,
            score=score,
            score_label=ScoreLabel.HYBRID if lexical else ScoreLabel.DENSE,
            score_kind=ScoreKind.BM25 if lexical else ScoreKind.COSINE,
            retrieval=RetrievalDetail(
                method="lexical" if lexical else "vector",
                lexical_score=score if lexical else None,
                vector_score=None if lexical else score,
                lexical_rank=rank if lexical else None,
                vector_rank=None if lexical else rank,
            ),
        )


class WordStore:
    """The part of a store that a look-up touches."""

    def __init__(self, chunks: Sequence[StoredChunk] = ()) -> None:
        self.chunks = list(chunks)
        self.current = "r1"
        self.failing: set[Channel] = set()
        self.word_checks: list[tuple[str, ...]] = []
        self._hybrid = HybridRetriever(
            _Channel(Channel.LEXICAL, self),
            _Channel(Channel.VECTOR, self),
            ReciprocalRankFusion(),
            parallel=False,
        )

    def search(self, query: StoreQuery) -> StoreResponse:
        return self._hybrid.search_with_trace(query).response(self.current)

    def unmatched_terms(self, terms: Sequence[str], filters: SearchFilter) -> tuple[str, ...]:
        self.word_checks.append(tuple(terms))
        if self.failing:
            raise StoreError("the words are on fire")
        passes = matcher(filters)
        there = {t for one in self.chunks if passes(one) for t in ANALYZER.terms(one.text)}
        return tuple(term for term in terms if term not in there)

    def stats(self) -> StoreStats:
        return StoreStats(
            backend="words",
            uri="words:",
            documents=len(self.chunks),
            chunks=len(self.chunks),
            chunks_with_vector=len(self.chunks),
            revision=self.current,
            manifest=Manifest(schema_version=1, analyzer="a", embedder=None, created_at=""),
        )


def tool(
    store: WordStore, settings: Settings | None = None, counter: TokenCounter | None = None
) -> LookupKnowledgeTool:
    settings = settings or Settings()
    return LookupKnowledgeTool(
        service=VectorSearchService(store, EMBEDDER, settings.search),  # type: ignore[arg-type]  # the part of a store that is asked
        normalizer=RetrievalScoreNormalizer(),
        post_processor=EvidencePostProcessor(settings.evidence),
        gate=RelevanceGate(settings.gate),
        packer=EvidencePacker(counter or make_token_counter(settings.evidence.token_counter)),
        projector=EvidenceProjector(stale_after_days=settings.search.stale_after_days),
        analyzer=ANALYZER,
        unmatched_terms=store.unmatched_terms,
        settings=settings,
    )
