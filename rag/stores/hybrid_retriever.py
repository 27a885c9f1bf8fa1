"""Two channels, one ranking: mode dispatch, fusion, and truthful degradation."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from types import MappingProxyType

from rag.errors import (
    IndexIdentityMismatchError,
    StoreError,
    StoreLockedError,
    StoreNotInitialisedError,
)
from rag.platform.logs import get_logger
from rag.ranking.fusion_policy import ChannelEntry, FusedEntry, FusionPolicy
from rag.ranking.records import Channel, RetrievalDetail, ScoreLabel, SearchHit, SearchMode
from rag.stores.admission import admit
from rag.stores.channel_answer import (
    ChannelAnswer,
    out_of_time,
    raise_if_nothing_answered,
    report_of,
)
from rag.stores.protocol import LexicalRetriever, Retriever, TermReporting
from rag.stores.records import ChannelReport, ChannelStatus, StoreQuery, StoreResponse

MAX_THREADS = 32  # searches at once times two channels; further ones wait their turn
GRACE_S = 0.1  # an engine's own time-out says more than ours, so it gets to speak first

# These are true of the whole store, not of one channel: half an answer would hide them.
_NEVER_DEGRADED = (IndexIdentityMismatchError, StoreNotInitialisedError, StoreLockedError)
_FAILED = (ChannelStatus.ERROR, ChannelStatus.TIMEOUT)

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedSearch:
    """A page of hits cut from one ranking, with all that it was made of.

    ``total`` is the length of the whole ranking. ``fused`` is the whole fused ranking, empty
    where one channel's ranking was passed on as it is. ``ghosts`` counts chunks of replaced
    generations that were left out.
    """

    hits: tuple[SearchHit, ...]
    channels: Mapping[Channel, ChannelReport]
    total: int
    ghosts: int = 0
    fused: tuple[FusedEntry, ...] = ()
    fusion_ms: float = 0.0

    def response(self, revision: str) -> StoreResponse:
        """Return the store's answer at this corpus revision."""
        return StoreResponse(
            hits=self.hits,
            channels=self.channels,
            total=self.total,
            revision=revision,
            ghosts=self.ghosts,
        )


class HybridRetriever:
    """Asks the channels that a mode needs and makes one ranking of their answers.

    - ``lexical`` and ``vector`` mode pass the one channel's hits on as they are.
    - ``hybrid`` mode fuses the channels that were asked. A channel that was not asked (no
      searchable word, no query vector) takes no part; one that was asked and found nothing does.
      A chunk found by both keeps the lexical copy and its snippet, and both channels' scores
      and ranks.
    - Where one of two channels fails, the other's hits are passed on under their own label and
      kind, and the report says which failed and why.

    Before ranks are given, chunks of a replaced generation and rows that do not pass the filter
    are left out, so ranks have no gaps and depend on nothing that the caller may not see.

    Args:
        lexical: The channel of words, or None where the store has none.
        vector: The channel of vectors, or None likewise.
        fusion: How rankings become one.
        parallel: Ask both channels at once, for engines behind a network.
    """

    def __init__(
        self,
        lexical: LexicalRetriever | None,
        vector: Retriever | None,
        fusion: FusionPolicy,
        *,
        parallel: bool,
    ) -> None:
        self._lexical = lexical
        self._vector = vector
        self._fusion = fusion
        self._pool = (
            ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="rag-channel") if parallel else None
        )
        self._versions_compared = False

    def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
        """Return the whole ranking, whatever ``k`` and ``offset`` are; raises as below."""
        return self._search(query, slice(None)).hits

    def search_with_trace(self, query: StoreQuery) -> FusedSearch:
        """Return the hits ``offset + 1 .. offset + k`` of the ranking, and how it came about.

        Raises:
            StoreError: the only channel that was asked failed; or the store as a whole cannot
                be used (wrong identity, locked, not initialised).
            StoreDamagedError: a channel returned an id that is none of ours, or the channels
                disagree about what a chunk holds.
            RetrievalError: both channels failed; ``details["causes"]`` says how.
            DeadlineExceededError: both ran out of time.
            ValueError: a retriever or caller broke its contract (ranks with gaps; a query
                without vector and without the reason).
        """
        return self._search(query, slice(query.offset, query.offset + query.k))

    def close(self) -> None:
        """Let go of the threads; the retrievers belong to who made them."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _search(self, query: StoreQuery, page: slice) -> FusedSearch:
        statuses = self._plan(query)
        asked = [channel for channel, status in statuses.items() if status is ChannelStatus.OK]
        answers = self._ask(query, asked)
        raise_if_nothing_answered(answers)
        for channel, answer in answers.items():
            if answer.error:
                _log.warning(
                    "a channel failed; the other one serves alone",
                    channel=str(channel),
                    code=answer.error.code,
                    message=answer.error.message,
                )
        started = time.perf_counter()
        kept, ghosts = admit(
            {channel: answers[channel].hits for channel in asked if not answers[channel].error},
            query.filters,
        )
        rankings = {channel: _ranking(hits.values()) for channel, hits in kept.items()}
        failed = len(kept) < len(asked) or any(status in _FAILED for status in statuses.values())
        fused: tuple[FusedEntry, ...] = ()
        if query.mode is SearchMode.HYBRID and not failed:
            self._compare_versions_once(kept)
            fused = self._fusion.fuse(rankings) if rankings else ()
            total = len(fused)
            hits = tuple(self._fused_hit(entry, kept) for entry in fused[page])
        else:
            ordered = [*next(iter(kept.values()), {}).values()]
            total = len(ordered)
            first = page.start or 0
            hits = tuple(_at_rank(hit, first + i) for i, hit in enumerate(ordered[page], 1))
        return FusedSearch(
            hits=hits,
            channels=MappingProxyType(
                {
                    channel: report_of(
                        channel, status, answers.get(channel), rankings.get(channel, ())
                    )
                    for channel, status in statuses.items()
                }
            ),
            total=total,
            ghosts=ghosts,
            fused=fused,
            fusion_ms=(time.perf_counter() - started) * 1_000,
        )

    def _plan(self, query: StoreQuery) -> dict[Channel, ChannelStatus]:
        """Say of each channel why it is not asked, or OK where it is."""
        lexical = vector = ChannelStatus.OK
        if self._lexical is None or query.mode is SearchMode.VECTOR:
            lexical = ChannelStatus.OFF
        elif not self._lexical.has_terms(query.text):
            lexical = ChannelStatus.NO_TERMS
        if self._vector is None or query.mode is SearchMode.LEXICAL:
            vector = ChannelStatus.OFF
        elif query.vector is None:
            vector = query.vector_status
            if vector is ChannelStatus.OK:
                raise ValueError("a query without a vector must say why in vector_status")
        return {Channel.LEXICAL: lexical, Channel.VECTOR: vector}

    def _ask(self, query: StoreQuery, asked: Sequence[Channel]) -> dict[Channel, ChannelAnswer]:
        if self._pool is None or len(asked) < 2:
            return self._ask_in_turn(query, asked)
        futures = {ch: self._pool.submit(self._ask_one, ch, query) for ch in asked}
        if query.timeout_s is None:
            return {channel: future.result() for channel, future in futures.items()}
        wait(futures.values(), timeout=query.timeout_s + GRACE_S)
        return {
            channel: future.result() if future.done() else out_of_time(channel, query.timeout_s)
            for channel, future in futures.items()
        }

    def _ask_in_turn(
        self, query: StoreQuery, asked: Sequence[Channel]
    ) -> dict[Channel, ChannelAnswer]:
        answers: dict[Channel, ChannelAnswer] = {}
        started = time.perf_counter()
        for channel in asked:
            if answers and query.timeout_s is not None:
                left = query.timeout_s - (time.perf_counter() - started)
                if left <= 0:
                    answers[channel] = out_of_time(channel, query.timeout_s)
                    continue
                answers[channel] = self._ask_one(channel, replace(query, timeout_s=left))
            else:
                answers[channel] = self._ask_one(channel, query)
        return answers

    def _ask_one(self, channel: Channel, query: StoreQuery) -> ChannelAnswer:
        retriever = self._lexical if channel is Channel.LEXICAL else self._vector
        assert retriever is not None  # only channels that exist are planned
        started = time.perf_counter()
        terms = None
        try:
            if isinstance(retriever, TermReporting):
                hits, terms = retriever.search_with_terms(query)
            else:
                hits = retriever.search(query)
        except _NEVER_DEGRADED:
            raise
        except StoreError as error:
            return ChannelAnswer(error=error, took_ms=(time.perf_counter() - started) * 1_000)
        took_ms = (time.perf_counter() - started) * 1_000
        return ChannelAnswer(hits=hits, took_ms=took_ms, terms=terms)

    def _compare_versions_once(self, kept: Mapping[Channel, object]) -> None:
        if self._versions_compared or len(kept) < 2:
            return
        self._versions_compared = True
        assert self._lexical is not None  # two channels answered
        assert self._vector is not None
        lexical, vector = self._lexical.index_version(), self._vector.index_version()
        if lexical != vector:
            _log.warning(
                "the two channels were built from different index versions; ingest again",
                lexical=lexical,
                vector=vector,
            )

    def _fused_hit(
        self, entry: FusedEntry, kept: Mapping[Channel, Mapping[str, SearchHit]]
    ) -> SearchHit:
        by_words = kept[Channel.LEXICAL][entry.chunk_id] if entry.lexical else None
        by_vector = kept[Channel.VECTOR][entry.chunk_id] if entry.vector else None
        base = by_words or by_vector
        assert base is not None  # a fused entry comes from at least one channel
        snippet = base.snippet
        if snippet is None and by_vector is not None:
            snippet = by_vector.snippet
        return SearchHit(
            chunk=base.chunk,
            rank=entry.rank,
            score=entry.score,
            score_label=ScoreLabel.HYBRID,
            score_kind=self._fusion.score_kind,
            retrieval=RetrievalDetail(
                method="hybrid",
                fusion_score=entry.score,
                lexical_score=entry.lexical.score if entry.lexical else None,
                vector_score=entry.vector.score if entry.vector else None,
                lexical_rank=entry.lexical.rank if entry.lexical else None,
                vector_rank=entry.vector.rank if entry.vector else None,
            ),
            snippet=snippet,
        )


def _ranking(hits: Iterable[SearchHit]) -> tuple[ChannelEntry, ...]:
    return tuple(
        ChannelEntry(chunk_id=hit.chunk.chunk_id, rank=rank, score=hit.score)
        for rank, hit in enumerate(hits, 1)
    )


def _at_rank(hit: SearchHit, rank: int) -> SearchHit:
    """Return the hit itself where its rank stands, or a copy that moved up past left-out rows."""
    if hit.rank == rank:
        return hit
    moved = (
        replace(hit.retrieval, vector_rank=rank)
        if hit.score_label is ScoreLabel.DENSE
        else replace(hit.retrieval, lexical_rank=rank)
    )
    return replace(hit, rank=rank, retrieval=moved)
