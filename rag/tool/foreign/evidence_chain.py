"""The chain behind the search, over hits that anybody found."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rag.errors import InvalidArgumentError
from rag.evidence.packer import EvidencePacker
from rag.evidence.post_processor import EvidencePostProcessor
from rag.evidence.projector import EvidenceProjector
from rag.evidence.rate_hits import rate_hits
from rag.evidence.records import (
    ProcessedEvidence,
    RagToolResult,
    RelevanceDecision,
    SearchFacts,
)
from rag.evidence.relevance_gate import RelevanceGate
from rag.ranking.records import ScoreLabel, SearchHit
from rag.ranking.score_normalizer import RetrievalScoreNormalizer
from rag.requests.lookup_request import parse_request
from rag.retrieval.query_check import checked_text
from rag.retrieval.records import SearchResponse
from rag.settings import Settings, load_settings
from rag.text import make_token_counter
from rag.tool.foreign.foreign_hit import ForeignHit
from rag.tool.foreign.hit_scale import RANK, HitScale, hit_scale
from rag.tool.foreign.label_hits import label_hits
from rag.tool.room_advice import with_room_advice

RISING = (
    "the scores rise along the list: where they are distances, turn them into scores of which "
    "more is better; where another step ordered the hits, score_kind rank reads the order alone"
)

OVERSHOOTING = (
    "a cosine lies outside of -1 to 1 and was clamped: the vectors are not of unit length, or the "
    "scores are of another kind"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedHits:
    """What became of a list of hits: the evidence, every drop with its reason, and the verdict.

    ``rated.rank`` of a piece of evidence is its place in the list that was judged, from 1.
    """

    processed: ProcessedEvidence
    decision: RelevanceDecision
    warnings: tuple[str, ...] = ()


class EvidenceChain:
    """Rates, post-processes, judges, packs and projects hits, whoever found them.

    It is what a look-up does after its search, without a store or a model: the order of the list
    is kept, and a quality is a ranking signal, not confidence. Safe to use from several threads.

    Args:
        settings: Those of evidence and gate hold; None takes ``rag.toml`` and the environment.

    Raises:
        ConfigError: a setting is at fault.
        MissingExtraError: the token counter's package is not installed.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        if not isinstance(settings, Settings | None):
            raise InvalidArgumentError(
                f"settings must be Settings; got {type(settings).__name__}",
                given=settings,
                allowed="Settings, or None for the usual ones",
                hint="make them with rag.load_settings()",
            )
        self._settings = load_settings() if settings is None else settings
        self._normalizer = RetrievalScoreNormalizer()
        self._post_processor = EvidencePostProcessor(self._settings.evidence)
        self._gate = RelevanceGate(self._settings.gate)
        self._packer = EvidencePacker(make_token_counter(self._settings.evidence.token_counter))
        self._projector = EvidenceProjector(stale_after_days=self._settings.search.stale_after_days)

    def judge(
        self,
        hits: Iterable[ForeignHit],
        *,
        score_kind: str | None = None,
        min_quality: float | None = None,
    ) -> JudgedHits:
        """Return what of the hits is evidence, what is not and why, and the verdict.

        ``score_kind`` says what the scores are, since no number tells: ``cosine``, ``bm25``,
        ``rrf``, ``minmax``, or ``rank`` for a list whose order alone is known. With ``cosine``
        a quality is the similarity, with every other kind the place in the list.

        Raises:
            InvalidArgumentError: the kind is missing or unknown, a hit does not fit it, or the
                floor is out of range.
        """
        # a look-up's floor, whatever its question
        floor = parse_request({"query": "any", "min_quality": min_quality}).min_quality
        scale = hit_scale(score_kind)
        found = label_hits(hits, scale)
        rated = rate_hits(found, self._normalizer.to_quality_scores(found))
        if scale.kind == RANK:  # there is no channel to tell of
            rated = tuple(replace(one, retrieval=None) for one in rated)
        processed = self._post_processor.process(rated, min_quality=floor)
        facts = SearchFacts(
            basis="similarity" if scale.label is ScoreLabel.DENSE else "ordinal",
            index_empty=None,
        )
        return JudgedHits(
            processed=processed,
            decision=self._gate.decide(processed, facts),
            warnings=tuple(_warnings(found, scale)),
        )

    def lookup(
        self,
        query: str,
        hits: Iterable[ForeignHit],
        *,
        score_kind: str | None = None,
        budget_tokens: int | None = None,
        min_quality: float | None = None,
    ) -> RagToolResult:
        """Return the result that ``lookup_knowledge`` would give, had it found these hits.

        Its ``mode`` says which kind of search the scores are of, and is ``rank`` where that is
        not known; what only a store can tell (channels, revision, cursor) is empty.

        Raises:
            InvalidInputError: the query, the budget, or what :meth:`judge` takes, is at fault.
        """
        started = time.perf_counter()
        text = checked_text(query)
        given = parse_request({"query": text, "budget_tokens": budget_tokens}).budget_tokens
        budget = self._settings.evidence.budget_tokens if given is None else given
        scale = hit_scale(score_kind)
        judged = self.judge(hits, score_kind=score_kind, min_quality=min_quality)
        packed = self._packer.pack(judged.processed.evidence, budget)
        decision = judged.decision
        if not packed.items:
            decision = with_room_advice(decision, packed.dropped, budget)
        result = self._projector.project(
            packed,
            decision,
            SearchResponse(
                query=text,
                mode=scale.mode,
                k=len(judged.processed.evidence) + len(judged.processed.dropped),
                offset=0,
                hits=(),
                channels={},
                degraded=(),
                revision="",
                index_empty=False,
            ),
            dropped=judged.processed.dropped,
            warnings=judged.warnings,
            took_ms=(time.perf_counter() - started) * 1_000,
        )
        return replace(result, mode=RANK) if scale.kind == RANK else result


def _warnings(hits: Sequence[SearchHit], scale: HitScale) -> Iterator[str]:
    if _rising(hits):
        yield RISING
    if any(scale.overshoots(hit.score) for hit in hits if hit.score is not None):
        yield OVERSHOOTING


def _rising(hits: Sequence[SearchHit]) -> bool:
    """Whether scores only ever rise from best to last, as distances do."""
    scores = [hit.score for hit in hits if hit.score is not None]
    return len(set(scores)) > 1 and all(one <= next_one for one, next_one in pairwise(scores))
