"""Runs a search and presents its page: qualities, staleness, trace, and a token budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from rag.base.page_budget import checked_max_tokens, fit_page
from rag.evidence import EvidencePostProcessor, rate_hits
from rag.evidence.records import BudgetUse
from rag.ranking import Channel, Quality, RetrievalScoreNormalizer, SearchHit
from rag.retrieval import SearchQuery, SearchResponse, VectorSearchService
from rag.settings import SearchSettings
from rag.text import Analyzer, TokenCounter, make_snippet
from rag.wire.search_response import (
    SearchResult,
    SearchTrace,
    result_hits,
    search_result,
    search_trace,
)


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


class SearchPresenter:
    """Turns the service's responses into ``search_response.v1``.

    Args:
        service: Answers the query.
        normalizer: Gives each hit its quality.
        post_processor: Says, for a trace, what a look-up would leave out.
        analyzer: Makes shorter snippets where a budget asks for them.
        counter: Counts the tokens of a budget.
        settings: The search settings in force.
        weights: The weight of each channel in a fusion.
        now: What tells the time; a test gives its own.
    """

    def __init__(
        self,
        service: VectorSearchService,
        *,
        normalizer: RetrievalScoreNormalizer,
        post_processor: EvidencePostProcessor,
        analyzer: Analyzer,
        counter: TokenCounter,
        settings: SearchSettings,
        weights: Mapping[Channel, float],
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._service = service
        self._normalizer = normalizer
        self._post_processor = post_processor
        self._analyzer = analyzer
        self._counter = counter
        self._settings = settings
        self._weights = {str(name): weight for name, weight in weights.items()}
        self._now = now

    def search(
        self, query: SearchQuery, *, max_tokens: int | None = None, trace: bool = False
    ) -> SearchResult:
        """Return one page of hits; with ``max_tokens`` only as many as that holds.

        Where hits were left out for the budget, the cursor continues at the first of them.

        Raises:
            InvalidInputError: the query, mode, ``k``, filter, cursor or budget is at fault.
            RetrievalError: every channel that was asked failed.
        """
        if max_tokens is not None:
            checked_max_tokens(max_tokens)
        response = self._service.search(query)
        qualities = self._normalizer.to_quality_scores(response.hits, offset=response.offset)
        present = partial(
            result_hits,
            qualities=qualities,
            now=self._now(),
            stale_after_days=self._settings.stale_after_days,
        )
        whole = search_result(
            response,
            present(response.hits),
            trace=self._trace(response, qualities) if trace else None,
        )
        if max_tokens is None:
            return whole
        fitted = fit_page(
            whole.hits,
            lambda chars: present(self._with_snippets(response, chars)),
            snippet_chars=query.snippet_chars or self._settings.snippet_chars,
            max_tokens=max_tokens,
            counter=self._counter,
        )
        cursor, warnings = whole.next_cursor, whole.warnings
        kept = len(fitted.hits)
        if whole.hits and not kept:
            cursor = query.cursor  # a larger budget begins here again
            warnings = (*warnings, f"not one hit fits into {max_tokens:,} tokens")
        elif kept < len(whole.hits):
            cursor = self._service.cursor_at(response, response.offset + kept, query.filters)
        return replace(
            whole,
            hits=fitted.hits,
            truncated=fitted.truncated,
            budget=BudgetUse(limit=max_tokens, used=fitted.tokens, counter=self._counter.name),
            next_cursor=cursor,
            warnings=warnings,
        )

    def _trace(self, response: SearchResponse, qualities: Sequence[Quality]) -> SearchTrace:
        processed = self._post_processor.process(rate_hits(response.hits, qualities))
        return search_trace(
            response,
            self._settings,
            weights=self._weights,
            dropped=processed.dropped,
        )

    def _with_snippets(self, response: SearchResponse, chars: int) -> tuple[SearchHit, ...]:
        terms = self._analyzer.query_terms(response.query)
        return tuple(
            replace(hit, snippet=make_snippet(hit.chunk.text, terms, self._analyzer, chars))
            for hit in response.hits
        )
