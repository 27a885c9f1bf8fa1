"""What was learnt from labelled questions: models, cut-points, a fusion, and whom it holds for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from rag.answerability.channel_lists import ChannelLists
from rag.answerability.features import answerability_features, has_bigrams
from rag.answerability.logistic_model import LogisticModel
from rag.embedding.protocol import EmbedderIdentity
from rag.errors import ConfigError
from rag.stores.records import TermReport

FORMAT = "rag_answerability_profile.v1"
SHIPPED = "minilm-english.json"


class Signals(StrEnum):
    """Which signals a question has: the model that serves it is chosen by this.

    ``words`` are lexical scores with document frequencies, ``bigrams`` the same of a question
    with words of a script without spaces, ``scores`` lexical scores alone, as Milvus gives them;
    ``vectors`` are cosines.
    """

    WORDS_AND_VECTORS = "words+vectors"
    WORDS = "words"
    BIGRAMS = "bigrams"
    SCORES_AND_VECTORS = "scores+vectors"
    SCORES = "scores"
    VECTORS = "vectors"


def signals_of(lists: ChannelLists) -> Signals | None:
    """Return which signals the lists of a search hold; None where no channel answered."""
    if lists.lexical is None:
        return None if lists.vector is None else Signals.VECTORS
    if lists.terms is not None:
        if lists.vector is not None:
            return Signals.WORDS_AND_VECTORS
        return Signals.BIGRAMS if has_bigrams(lists.terms) else Signals.WORDS
    return Signals.SCORES if lists.vector is None else Signals.SCORES_AND_VECTORS


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityModel:
    """Two questions asked of the same features, and where levels are cut.

    ``topic``: is this a question that the base covers at all? ``answer``: given that, do the
    hits answer it, or is what answers it missing? Below ``none`` on the first, a question is off
    the topic; ``medium`` and ``high`` cut the probability that it is answered.
    """

    topic: LogisticModel
    answer: LogisticModel
    none: float
    medium: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionChoice:
    """The fusion that measured best: ``rrf`` with ``k`` and weights, or ``minmax`` with weights."""

    kind: Literal["rrf", "minmax"]
    k: int
    lexical_weight: float
    vector_weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityProfile:
    """A calibration and what it is bound to.

    It holds for bases of this analyser and, where vectors take part, this embedder; a profile of
    one base (``index`` is that base's identity) for that base alone.
    ``measured`` holds its errors on questions that it was not fitted on, by signals.
    """

    name: str
    analyzer: str
    embedder: EmbedderIdentity | None
    index: str | None
    models: Mapping[Signals, AnswerabilityModel]
    fusion: FusionChoice | None
    corpora: tuple[str, ...] = ()
    date: str = ""
    measured: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the profile as JSON text."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False) + "\n"

    def refusal(self, *, analyzer: str, embedder: EmbedderIdentity | None) -> str | None:
        """Say why the profile does not hold for a base built with these; None where it does.

        A base without an embedder is served by the models that need no vectors.
        """
        if self.analyzer != analyzer:
            return f"it is for analyser {self.analyzer}, and the base has {analyzer}"
        if embedder is not None and self.embedder != embedder:
            own = self.embedder or "none"
            return f"it is for embedder {own}, and the base has {embedder}"
        return None


def read_profile(path: Path) -> AnswerabilityProfile:
    """Return the profile of a file.

    Raises:
        ConfigError: the file cannot be read, or is no profile.
    """
    try:
        return parse_profile(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{path} is no answerability profile: {type(error).__name__}: {error}",
            given=str(path),
            allowed=f"a file that rag calibrate wrote ({FORMAT})",
            hint="write one with: rag calibrate --golden FILE; or set answerability.profile = none",
        ) from None


def shipped_profile() -> AnswerabilityProfile:
    """Return the profile of the default embedder and analyser that comes with the package."""
    return parse_profile(
        (files("rag.answerability") / "profiles" / SHIPPED).read_text(encoding="utf-8")
    )


def parse_profile(text: str) -> AnswerabilityProfile:
    """Return the profile of a JSON text; ValueError, KeyError or TypeError where it is none."""
    record = json.loads(text)
    if record.pop("format") != FORMAT:
        raise ValueError(f"expected the format {FORMAT}")
    embedder, fusion = record.pop("embedder"), record.pop("fusion")
    return AnswerabilityProfile(
        **{
            **record,
            "embedder": None if embedder is None else EmbedderIdentity(**embedder),
            "fusion": None if fusion is None else FusionChoice(**fusion),
            "corpora": tuple(record["corpora"]),
            "models": {
                Signals(name): _model(one, Signals(name)) for name, one in record["models"].items()
            },
        }
    )


def _model(record: Mapping[str, Any], signals: Signals) -> AnswerabilityModel:
    model = AnswerabilityModel(
        topic=LogisticModel(**_tuples(record["topic"])),
        answer=LogisticModel(**_tuples(record["answer"])),
        none=float(record["none"]),
        medium=float(record["medium"]),
        high=float(record["high"]),
    )
    unknown = {*model.topic.features, *model.answer.features} - _FEATURES[signals]
    if unknown:
        raise ValueError(f"{signals} has no feature {sorted(unknown)[0]!r}")
    return model


def _features_of(signals: Signals) -> frozenset[str]:
    """Return the names of the features that lists with these signals have."""
    no_terms = TermReport(total=0, saturation=1.0, terms=(), holds=())
    lists = ChannelLists(
        words=0,
        lexical=None if signals is Signals.VECTORS else (),
        vector=() if "vectors" in signals else None,
        terms=no_terms if "words" in signals or signals is Signals.BIGRAMS else None,
    )
    return frozenset(answerability_features(lists))


_FEATURES = {signals: _features_of(signals) for signals in Signals}


def _tuples(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
    }
