"""From the channel lists of a search to a probability that the base answers the question."""

from __future__ import annotations

from dataclasses import dataclass

from rag.answerability.channel_lists import ChannelLists
from rag.answerability.features import answerability_features
from rag.answerability.profile import AnswerabilityModel, AnswerabilityProfile, Signals, signals_of

LIKELY_TOPIC = 0.5  # below, a question is more likely off the topic than on it


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilitySignal:
    """What a profile says of one question.

    ``on_topic`` is the probability that the base covers such a question at all, and
    ``probability`` that it is covered and answered; both in (0, 1). ``basis`` names the signals
    that they were computed from.
    """

    probability: float
    on_topic: float
    profile: str
    basis: Signals
    model: AnswerabilityModel

    @property
    def off_topic(self) -> bool:
        """Whether the base more likely does not cover the question."""
        return self.on_topic < max(LIKELY_TOPIC, self.model.none)


class AnswerabilityEstimator:
    """Applies a profile: arithmetic on some twenty numbers, no query and no model call."""

    def __init__(self, profile: AnswerabilityProfile) -> None:
        self.profile = profile

    def judge(self, lists: ChannelLists) -> AnswerabilitySignal | None:
        """Return the signal; None where the profile has no model for what the channels gave."""
        basis = signals_of(lists)
        model = None if basis is None else self.profile.models.get(basis)
        if basis is None or model is None:
            return None
        features = answerability_features(lists)
        on_topic = model.topic.probability(features)
        return AnswerabilitySignal(
            probability=on_topic * model.answer.probability(features),
            on_topic=on_topic,
            profile=self.profile.name,
            basis=basis,
            model=model,
        )
