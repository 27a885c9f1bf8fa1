"""Which fusion holds: the settings' own, else the answerability profile's, else the defaults."""

from __future__ import annotations

from collections.abc import Mapping

from rag.answerability import AnswerabilityProfile
from rag.embedding import Embedder
from rag.ranking import Channel, FusionPolicy, MinMaxFusion, ReciprocalRankFusion
from rag.settings import Settings

FUSION_SETTINGS = frozenset({"fusion", "rrf_k", "lexical_weight", "vector_weight"})


def with_fusion(settings: Settings, profile: AnswerabilityProfile | None) -> Settings:
    """Return the settings with a profile's fusion, unless they name one themselves."""
    named = settings.search.model_fields_set & FUSION_SETTINGS
    if profile is None or profile.fusion is None or named:
        return settings
    chosen = profile.fusion
    search = settings.search.model_copy(
        update={
            "fusion": chosen.kind,
            "rrf_k": chosen.k,
            "lexical_weight": chosen.lexical_weight,
            "vector_weight": chosen.vector_weight,
        }
    )
    return settings.model_copy(update={"search": search})


def build_fusion(settings: Settings, weights: Mapping[Channel, float]) -> FusionPolicy:
    """Return the fusion of the settings."""
    if settings.search.fusion == "minmax":
        return MinMaxFusion(weights)
    return ReciprocalRankFusion(k=settings.search.rrf_k, weights=weights)


def channel_weights(settings: Settings, embedder: Embedder | None) -> dict[Channel, float]:
    """Return the weight of each channel in a fusion."""
    own = embedder.fusion_weight if embedder is not None else 1.0
    chosen = settings.search.vector_weight
    return {
        Channel.LEXICAL: settings.search.lexical_weight,
        Channel.VECTOR: own if chosen is None else chosen,
    }
