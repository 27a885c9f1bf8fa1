"""Whether a base answers a question at all: an absolute signal, calibrated on labelled ones."""

from rag.answerability.channel_lists import ChannelLists, channel_lists
from rag.answerability.estimator import TrustEstimator, TrustSignal
from rag.answerability.features import trust_features
from rag.answerability.profile import (
    FusionChoice,
    Signals,
    TrustModel,
    TrustProfile,
    read_profile,
    shipped_profile,
)

__all__ = [
    "ChannelLists",
    "FusionChoice",
    "Signals",
    "TrustEstimator",
    "TrustModel",
    "TrustProfile",
    "TrustSignal",
    "channel_lists",
    "read_profile",
    "shipped_profile",
    "trust_features",
]
