"""The tool an agent calls: a question in, cited evidence and a verdict out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rag.answerability import AnswerabilityEstimator, AnswerabilitySignal, channel_lists
from rag.errors import RagError, StoreError
from rag.evidence.attempt_ledger import AttemptLedger
from rag.evidence.batch_records import BatchAnswer, RagBatchResult
from rag.evidence.batch_result import batch_result
from rag.evidence.packed_records import PackedItem
from rag.evidence.packer import EvidencePacker
from rag.evidence.post_processor import EvidencePostProcessor
from rag.evidence.projector import EvidenceProjector
from rag.evidence.rate_hits import rate_hits
from rag.evidence.records import (
    Attempt,
    ProcessedEvidence,
    RagToolResult,
    RelevanceDecision,
    RelevanceLevel,
    SearchFacts,
)
from rag.evidence.relevance_gate import RelevanceGate
from rag.ranking.score_normalizer import RetrievalScoreNormalizer
from rag.requests.batch_request import BatchRequest, Question, parse_batch
from rag.requests.lookup_request import LookupRequest, parse_request
from rag.retrieval.main_headings import MainHeadings
from rag.retrieval.records import SearchQuery, SearchResponse
from rag.retrieval.search_service import VectorSearchService
from rag.settings import Settings
from rag.stores.filters import SearchFilter
from rag.text import Analyzer
from rag.tool.resume_offset import resume_offset
from rag.tool.room_advice import with_room_advice
from rag.tool.search_facts import search_facts

# A cursor takes as much as the rest of a verdict; of more questions they would be half the result.
MOST_WITH_CURSORS = 10
MOST_WORDS_CHECKED = 64  # of a query, for those that occur nowhere

UnmatchedTerms = Callable[[Sequence[str], SearchFilter], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What is known of one question before packing."""

    request: LookupRequest
    response: SearchResponse
    processed: ProcessedEvidence


class LookupKnowledgeTool:
    """Answers questions with cited evidence within a token budget, and says what it is worth.

    The chain: search, rate, post-process, pack, judge, project. The text of every hit comes with
    the search, so an index that changes meanwhile changes nothing about an answer under way.
    Safe to call from several threads.

    ``answerability`` judges from the channel lists whether the base answers at all; ``headings``
    then say what it is about; ``notices`` are warnings that every result carries.
    """

    def __init__(
        self,
        *,
        service: VectorSearchService,
        normalizer: RetrievalScoreNormalizer,
        post_processor: EvidencePostProcessor,
        gate: RelevanceGate,
        packer: EvidencePacker,
        projector: EvidenceProjector,
        analyzer: Analyzer,
        unmatched_terms: UnmatchedTerms,
        settings: Settings,
        answerability: AnswerabilityEstimator | None = None,
        headings: MainHeadings | None = None,
        notices: Sequence[str] = (),
    ) -> None:
        self._service = service
        self._normalizer = normalizer
        self._post_processor = post_processor
        self._gate = gate
        self._packer = packer
        self._projector = projector
        self._analyzer = analyzer
        self._unmatched_terms = unmatched_terms
        self._answerability = answerability
        self._headings = headings
        self._notices = tuple(notices)
        self._budget = settings.evidence.budget_tokens
        self._k = settings.search.k
        self._ledger = AttemptLedger(max_attempts=settings.gate.max_attempts)

    def lookup(
        self, query: LookupRequest | str | Mapping[str, Any], /, **options: Any
    ) -> RagToolResult:
        """Return evidence and a verdict for one question.

        ``query`` is the question, or an object with the fields of :class:`LookupRequest`;
        ``options`` are further fields.

        Raises:
            InvalidInputError: a field is at fault.
            RetrievalError: every channel that was asked failed.
            StoreError: the store failed.
        """
        started = time.perf_counter()
        request = parse_request(query, options)
        budget = self._budget if request.budget_tokens is None else request.budget_tokens
        found = self._find(request)
        packed = self._packer.pack(found.processed.evidence, budget)
        decision, warnings = self._judge(found, packed.items)
        if not packed.items:
            decision = with_room_advice(decision, packed.dropped, budget)
        dropped = (*found.processed.dropped, *packed.dropped)
        return self._projector.project(
            packed,
            decision,
            found.response,
            dropped=found.processed.dropped,
            next_cursor=self._next_cursor(
                found, resume_offset(dropped, found.response.offset, packed=bool(packed.items))
            ),
            warnings=warnings,
            took_ms=(time.perf_counter() - started) * 1_000,
        )

    def lookup_many(
        self, queries: BatchRequest | Sequence[Question], /, **options: Any
    ) -> RagBatchResult:
        """Return the results of up to 50 questions, packed into one shared budget.

        ``options`` are further fields of :class:`BatchRequest`; all but the budget hold for every
        question that does not set them itself. A question that fails is reported in ``errors``
        and leaves its share to the others; if all fail, the first error is raised.

        Raises:
            InvalidInputError: the list or an option is at fault.
            RagError: no question could be answered.
        """
        started = time.perf_counter()
        request = parse_batch(queries, options)
        budget = self._budget if request.budget_tokens is None else request.budget_tokens
        found: dict[int, _Found] = {}
        errors: dict[int, RagError] = {}
        for index, query in enumerate(request.queries):
            try:
                found[index] = self._find(request.part(query, default_k=self._k))
            except RagError as error:
                errors[index] = error
        if not found:
            raise errors[0]
        packed = self._packer.pack_batch([one.processed.evidence for one in found.values()], budget)
        answers: dict[int, BatchAnswer] = {}
        decisions: list[RelevanceDecision] = []
        told: list[str] = []
        call = self._ledger.begin_call()
        for (index, one), part in zip(found.items(), packed.parts, strict=True):
            decision, warnings = self._judge(one, part.items, call=call)
            if not part.items:
                decision = with_room_advice(
                    decision, part.dropped, budget, questions=len(packed.parts)
                )
            decisions.append(decision)
            told += warnings
            dropped = (*one.processed.dropped, *part.dropped)
            resume = resume_offset(dropped, one.response.offset, packed=bool(part.items))
            answers[index] = self._projector.project_part(
                part,
                decision,
                one.response,
                dropped=one.processed.dropped,
                next_cursor=self._next_cursor(one, resume)
                if len(request.queries) <= MOST_WITH_CURSORS
                else None,
            )
        return batch_result(
            packed,
            answers,
            [one.response for one in found.values()],
            decisions,
            errors,
            warnings=told,
            took_ms=(time.perf_counter() - started) * 1_000,
        )

    async def alookup(
        self, query: LookupRequest | str | Mapping[str, Any], /, **options: Any
    ) -> RagToolResult:
        """Do as :meth:`lookup` does, in a thread."""
        return await asyncio.to_thread(self.lookup, query, **options)

    async def alookup_many(
        self, queries: BatchRequest | Sequence[Question], /, **options: Any
    ) -> RagBatchResult:
        """Do as :meth:`lookup_many` does, in a thread."""
        return await asyncio.to_thread(self.lookup_many, queries, **options)

    def _find(self, request: LookupRequest) -> _Found:
        response = self._service.search(
            SearchQuery(
                text=request.query,
                mode=request.mode,
                k=request.k,
                filters=request.filters,
                cursor=request.cursor,
                deadline_s=request.deadline_s,
            )
        )
        qualities = self._normalizer.to_quality_scores(response.hits, offset=response.offset)
        processed = self._post_processor.process(
            rate_hits(response.hits, qualities), min_quality=request.min_quality
        )
        return _Found(request=request, response=response, processed=processed)

    def _judge(
        self, found: _Found, items: Sequence[PackedItem], *, call: int | None = None
    ) -> tuple[RelevanceDecision, tuple[str, ...]]:
        request, response = found.request, found.response
        facts = search_facts(
            response,
            request.filters,
            self._attempt(found, items, call),
            answerability=self._signal(response),
        )
        facts = self._with_headings(facts, response, request.filters)
        decision = self._gate.decide(found.processed, facts)
        wanting = decision.level in (RelevanceLevel.NONE, RelevanceLevel.LOW)
        if response.index_empty or not (decision.retry.should_retry or wanting):
            return decision, self._notices
        try:
            words = self._unmatched_words(request)
        except StoreError as error:
            unread = f"words found nowhere could not be looked for: {error.message}"
            return decision, (*self._notices, unread)
        facts = replace(facts, unmatched_words=words)
        decision = self._gate.decide(found.processed, facts, words_in_hint=call is None)
        return decision, self._notices

    def _signal(self, response: SearchResponse) -> AnswerabilitySignal | None:
        """Return what the profile says; None without one, or where a channel failed."""
        if self._answerability is None or response.degraded or response.fused_by == "server":
            return None
        words = len(self._analyzer.query_terms(response.query))
        return self._answerability.judge(channel_lists(response.channels, words))

    def _with_headings(
        self, facts: SearchFacts, response: SearchResponse, filters: SearchFilter
    ) -> SearchFacts:
        if (
            self._headings is None
            or facts.answerability is None
            or not facts.answerability.off_topic
        ):
            return facts
        return replace(facts, covers=self._headings.of(response.revision, filters))

    def _attempt(
        self, found: _Found, items: Sequence[PackedItem], call: int | None
    ) -> Attempt | None:
        """Count this look-up among its like.

        None are a further page of an answer, and one that found evidence and had no room for it.
        """
        request = found.request
        given = [item.evidence.rated.chunk.chunk_id for item in items]
        unfit = [] if items else [one.rated.chunk.chunk_id for one in found.processed.evidence]
        if request.attempt is not None:
            return self._ledger.explicit(request.attempt, request.seen_chunk_ids, given or unfit)
        if request.session_id is None or request.cursor is not None or unfit:
            return None
        terms = self._analyzer.query_terms(request.query) or [request.query.casefold().strip()]
        searched = max((one.count for one in found.response.channels.values()), default=0)
        return self._ledger.record(request.session_id, terms, given, searched=searched, call=call)

    def _unmatched_words(self, request: LookupRequest) -> tuple[str, ...]:
        """Return the query's words, as written, none of whose terms occur in what was searched."""
        words = self._analyzer.query_words(request.query)[:MOST_WORDS_CHECKED]
        terms = list(dict.fromkeys(term for _, own in words for term in own))
        if not terms:
            return ()
        missing = set(self._unmatched_terms(terms, request.filters))
        return tuple(surface for surface, own in words if missing.issuperset(own))

    def _next_cursor(self, found: _Found, offset: int | None) -> str | None:
        if offset is None:
            return found.response.next_cursor
        return self._service.cursor_at(found.response, offset, found.request.filters)
