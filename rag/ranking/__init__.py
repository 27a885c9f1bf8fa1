"""Hit records, fusion of rankings, and the one place where a score becomes a quality."""

from rag.ranking.fusion_policy import ChannelEntry, FusedEntry, FusionPolicy
from rag.ranking.minmax_fusion import MinMaxFusion
from rag.ranking.reciprocal_rank_fusion import ReciprocalRankFusion
from rag.ranking.records import (
    Channel,
    Quality,
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
    SearchMode,
    StoredChunk,
)
from rag.ranking.score_normalizer import RetrievalScoreNormalizer

__all__ = [
    "Channel",
    "ChannelEntry",
    "FusedEntry",
    "FusionPolicy",
    "MinMaxFusion",
    "Quality",
    "ReciprocalRankFusion",
    "RetrievalDetail",
    "RetrievalScoreNormalizer",
    "ScoreKind",
    "ScoreLabel",
    "SearchHit",
    "SearchMode",
    "StoredChunk",
]
