"""Both channels in one request, fused by Milvus' own reciprocal rank fusion."""

from __future__ import annotations

import time
from types import MappingProxyType

from pymilvus import AnnSearchRequest, RRFRanker

from rag.errors import ConfigError
from rag.ranking.fusion_policy import FusionPolicy
from rag.ranking.reciprocal_rank_fusion import ReciprocalRankFusion
from rag.ranking.records import Channel, RetrievalDetail, ScoreKind, ScoreLabel, SearchHit
from rag.stores.admission import admit
from rag.stores.milvus.candidates import candidate_fields, ranked
from rag.stores.milvus.index import MilvusIndex
from rag.stores.milvus.row_maker import checked_vector
from rag.stores.milvus.schema import DENSE, SPARSE
from rag.stores.records import ChannelReport, ChannelStatus, StoreQuery, StoreResponse
from rag.text import Analyzer, encode_terms

CHANNELS = 2
_FUSED_ELSEWHERE = "fused by the server; its own scores and ranks are not known"


class ServerFusion:
    """Asks Milvus to search both channels and fuse them: one request instead of two.

    A hit's score is the server's sum ÷ its maximum, as with our own fusion; what each channel
    said is not known, so those scores and ranks are None.

    Raises:
        ConfigError: the fusion weighs its channels, or is no reciprocal rank fusion; Milvus'
            ranker does neither.
    """

    def __init__(self, index: MilvusIndex, analyzer: Analyzer, fusion: FusionPolicy) -> None:
        if not isinstance(fusion, ReciprocalRankFusion) or len(set(fusion.weights.values())) > 1:
            raise ConfigError(
                "store.fusion = server cannot weigh the channels",
                given=str(getattr(fusion, "weights", type(fusion).__name__)),
                allowed="reciprocal rank fusion with equal weights",
                hint="set store.fusion = client, or give both channels the same weight",
            )
        self._index = index
        self._analyzer = analyzer
        self._k = fusion.k

    def can_answer(self, query: StoreQuery) -> bool:
        """Whether both channels take part, so that there is something to fuse."""
        return query.vector is not None and bool(self._analyzer.query_terms(query.text))

    def search(self, query: StoreQuery) -> StoreResponse:
        """Return a page of hits whose chunks are not read yet."""
        index = self._index
        assert query.vector is not None  # can_answer said so
        assert index.manifest.embedder is not None  # a vector was let in
        started = time.perf_counter()
        vector = checked_vector(query.vector, index.manifest.embedder.dimensions)
        words = encode_terms(self._analyzer.query_terms(query.text))
        state = index.ledger.state
        by_words = index.visible(state, query.filters).build()
        by_vector = index.visible(state, query.filters).add("has_vector == true").build()
        hits: tuple[SearchHit, ...] = ()
        if not by_words.impossible:
            index.connection.settle(index.collection)
            with index.connection.errors("search"):
                (found,) = index.connection.client.hybrid_search(
                    index.collection,
                    [
                        AnnSearchRequest(
                            [data],
                            field,
                            {},
                            query.candidates,
                            expression.text,
                            expr_params=expression.params or None,
                        )
                        for field, data, expression in (
                            (SPARSE, words, by_words),
                            (DENSE, vector.tolist(), by_vector),
                        )
                    ],
                    RRFRanker(self._k),
                    limit=query.candidates,
                    output_fields=list(candidate_fields(query.filters)),
                    timeout=query.timeout_s or index.connection.patience(index.timeout_s),
                    consistency_level=state.consistency(),
                )
            most = CHANNELS / (self._k + 1)
            scored = ((float(hit["distance"]) / most, hit["entity"]) for hit in found)
            hits = ranked(Channel.LEXICAL, scored)
        kept, ghosts = admit({Channel.LEXICAL: hits}, query.filters)
        ordered = [
            _fused_hit(hit, rank) for rank, hit in enumerate(kept[Channel.LEXICAL].values(), 1)
        ]
        took_ms = (time.perf_counter() - started) * 1_000
        report = [
            ChannelReport(
                channel=channel, status=ChannelStatus.OK, took_ms=took_ms, detail=_FUSED_ELSEWHERE
            )
            for channel in Channel
        ]
        return StoreResponse(
            hits=tuple(ordered[query.offset : query.offset + query.k]),
            channels=MappingProxyType({one.channel: one for one in report}),
            total=len(ordered),
            revision=state.revision,
            ghosts=ghosts,
            fused_by="server",
        )


def _fused_hit(hit: SearchHit, rank: int) -> SearchHit:
    return SearchHit(
        chunk=hit.chunk,
        rank=rank,
        score=hit.score,
        score_label=ScoreLabel.HYBRID,
        score_kind=ScoreKind.RRF,
        retrieval=RetrievalDetail(method="hybrid", fusion_score=hit.score),
    )
