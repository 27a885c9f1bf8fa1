"""Whether a base answers a question at all: an absolute signal, calibrated on labelled ones."""

from rag.answerability.channel_lists import ChannelLists, channel_lists
from rag.answerability.estimator import AnswerabilityEstimator, AnswerabilitySignal
from rag.answerability.features import answerability_features
from rag.answerability.profile import (
    AnswerabilityModel,
    AnswerabilityProfile,
    FusionChoice,
    Signals,
    read_profile,
    shipped_profile,
)

__all__ = [
    "AnswerabilityEstimator",
    "AnswerabilityModel",
    "AnswerabilityProfile",
    "AnswerabilitySignal",
    "ChannelLists",
    "FusionChoice",
    "Signals",
    "answerability_features",
    "channel_lists",
    "read_profile",
    "shipped_profile",
]
