"""What an evaluation found, as it goes into a file and a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from rag.errors import InvalidArgumentError
from rag.evaluation.fusion_search import FusionComparison
from rag.evaluation.ranking_measures import Estimate
from rag.evaluation.trust_measures import Separation
from rag.trust import FusionChoice

FORMAT = "eval_report.v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds: of a whole look-up at the median and the 95th percentile; of embedding."""

    lookup_p50: float
    lookup_p95: float
    embed_p50: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """Shares of the questions of one construction: by relevance level, and advised to retry."""

    questions: int
    levels: Mapping[str, float]
    retry: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustCurve:
    """One construction against the answerable questions.

    ``cross`` is measured on the probability of being on topic, the others on that of an answer.
    ``reliability`` holds (mean probability, share answered, weight); ``risk_coverage`` (share of
    questions accepted, share of the accepted that are unanswered).
    """

    separation: Separation
    reliability: tuple[tuple[float, float, float], ...]
    risk_coverage: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPoint:
    """At a token budget: the share of questions whose evidence holds an answer, and tokens used."""

    budget: int
    retained: Estimate
    tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOutcome:
    """One answerable question: nDCG@10 by mode, probability, what was right, what came first."""

    question_id: str
    text: str
    ndcg: Mapping[str, float]
    probability: float | None
    relevant: tuple[str, ...]
    hits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalReport:
    """An evaluation (``eval_report.v1``).

    ``retrieval`` holds, by mode and measure, means with 95 % bootstrap intervals: ``lexical``
    and ``vector`` alone, ``hybrid`` with the fusion in force. ``harm`` is how much nDCG@10
    hybrid is below its better channel on the questions that both answer (below 0: above).
    """

    schema_version: Literal["eval_report.v1"] = "eval_report.v1"
    name: str
    date: str
    rag_version: str
    store: str
    analyzer: str
    embedder: str
    profile: str | None
    documents: int
    chunks: int
    questions: Mapping[str, int]
    retrieval: Mapping[str, Mapping[str, Estimate]]
    latency: Latency
    verdicts: Mapping[str, Verdicts]
    trust: Mapping[str, TrustCurve]
    fusion_in_force: FusionChoice
    fusion_advised: FusionChoice | None
    harm: float | None
    fusions: FusionComparison | None
    budgets: tuple[BudgetPoint, ...] = ()
    outcomes: tuple[QuestionOutcome, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def to_json(self) -> str:
        """Return the report as JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def read_report(path: Path) -> Mapping[str, Any]:
    """Return a report as the plain object that its file holds.

    Raises:
        InvalidArgumentError: the file cannot be read, or holds no report.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(
            f"{path} cannot be read as a report: {error}",
            given=str(path),
            allowed="a file that rag eval --out wrote",
        ) from None
    if not isinstance(record, dict) or record.get("schema_version") != FORMAT:
        raise InvalidArgumentError(
            f"{path} is no evaluation report", given=str(path), allowed=FORMAT
        )
    return record
