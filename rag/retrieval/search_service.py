"""One search from question to labelled hits: embed once, ask the store, say what happened."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from rag.embedding.checked_vectors import checked_vectors
from rag.embedding.coverage import covers
from rag.embedding.protocol import Embedder
from rag.errors import (
    DeadlineExceededError,
    EmbeddingError,
    InvalidArgumentError,
    RetrievalError,
    StoreError,
    StoreTimeoutError,
)
from rag.platform.logs import get_logger
from rag.ranking.records import Channel, SearchMode
from rag.retrieval.cursor import Cursor, CursorScope, channel_names, decode_cursor, encode_cursor
from rag.retrieval.query_check import (
    checked_deadline,
    checked_k,
    checked_mode,
    checked_snippet_chars,
    checked_text,
)
from rag.retrieval.records import SearchQuery, SearchResponse
from rag.settings import EmbeddingSettings, SearchSettings
from rag.stores.filters import SearchFilter, parse_filter
from rag.stores.protocol import KnowledgeStore
from rag.stores.records import ChannelReport, ChannelStatus, StoreQuery, StoreResponse

_FAILED = (ChannelStatus.ERROR, ChannelStatus.TIMEOUT)
# What decides the order of the hits, apart from query, filters and corpus.
_RANKING_SETTINGS = frozenset(
    {"rrf_k", "lexical_weight", "vector_weight", "candidates", "bm25_k1", "bm25_b"}
)

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Embedded:
    """The query's vector, or why there is none."""

    vector: NDArray[np.float32] | None = None
    status: ChannelStatus = ChannelStatus.OK
    detail: str | None = None
    error: EmbeddingError | None = None


class VectorSearchService:
    """Answers search queries over a store.

    - Input is checked before any model or store is asked.
    - The query is embedded once, and not at all in lexical mode.
    - The vector channel is not asked where there is no embedder (``off``) or where it does not
      read the query's script (``not_covered``). In hybrid mode words then serve alone. In vector
      mode nothing can be asked: without an embedder that is an error, since no query would ever
      be answered; for a script it is an empty answer whose channel report and warning say so.
    - A channel that fails does not fail a hybrid search: the other one's hits come under their
      own labels, ``degraded`` names the channel, and a warning says what happened.
    - The deadline covers embedding and store; the store is told what is left.

    Safe to call from several threads, as far as store and embedder are.
    """

    def __init__(
        self, store: KnowledgeStore, embedder: Embedder | None, settings: SearchSettings
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        ordering = settings.model_dump_json(include=set(_RANKING_SETTINGS))
        self._ranking = f"{ordering} {embedder.identity if embedder else 'no embedder'}"

    def search(self, query: SearchQuery) -> SearchResponse:
        """Return one page of hits.

        Raises:
            EmptyQueryError, QueryTooLongError, InvalidArgumentError, InvalidFilterError: the
                input is at fault.
            InvalidCursorError, StaleCursorError: the cursor is of another search, or the
                ranking that it continues is no more.
            EmbeddingError: the query could not be embedded and words cannot serve instead.
            DeadlineExceededError: nothing answered in time.
            RetrievalError: every channel that was asked failed.
            StoreError: the store as a whole, or the one channel asked, failed.
        """
        started = time.perf_counter()
        defaults = self._settings
        text = checked_text(query.text)
        mode = checked_mode(defaults.mode if query.mode is None else query.mode)
        k = checked_k(defaults.k if query.k is None else query.k)
        snippet_chars = checked_snippet_chars(
            defaults.snippet_chars if query.snippet_chars is None else query.snippet_chars
        )
        deadline_s = checked_deadline(
            defaults.deadline_s if query.deadline_s is None else query.deadline_s
        )
        filters = parse_filter(query.filters)
        scope = CursorScope(query=text, mode=mode, filters=filters, ranking=self._ranking)
        cursor = None if query.cursor is None else decode_cursor(query.cursor, scope)

        before_embedding = time.perf_counter()
        embedded = self._embed(text, mode)
        embed_ms = (time.perf_counter() - before_embedding) * 1_000
        left_s = deadline_s - (time.perf_counter() - started)
        if left_s <= 0:
            raise _too_late(deadline_s, f"embedding the query alone took {embed_ms:.0f} ms")

        found = self._ask_store(
            StoreQuery(
                text=text,
                mode=mode,
                k=k,
                offset=cursor.offset if cursor else 0,
                vector=embedded.vector,
                vector_status=embedded.status,
                filters=filters,
                candidates=defaults.candidates,
                snippet_chars=snippet_chars,
                timeout_s=left_s,
            ),
            embedded,
            deadline_s,
        )
        channels = _explained(found.channels, mode, embedded)
        answered = [name for name, report in channels.items() if report.status is ChannelStatus.OK]
        if embedded.error is not None and not answered:
            raise embedded.error
        if cursor is not None:
            cursor.check(revision=found.revision, answered=answered)
        offset = cursor.offset if cursor else 0
        end = offset + k  # not of the hits that came: one may have vanished while it was read
        more = end < found.total
        degraded = tuple(name for name, report in channels.items() if report.status in _FAILED)
        return SearchResponse(
            query=text,
            mode=mode,
            k=k,
            offset=offset,
            hits=found.hits,
            channels=channels,
            degraded=degraded,
            revision=found.revision,
            index_empty=not found.hits and offset == 0 and self._store.stats().chunks == 0,
            next_cursor=encode_cursor(
                scope,
                Cursor(offset=end, revision=found.revision, channels=channel_names(answered)),
            )
            if more
            else None,
            took_ms=(time.perf_counter() - started) * 1_000,
            embed_ms=embed_ms,
            ghosts=found.ghosts,
            fused_by=found.fused_by,
            warnings=_warnings(channels, degraded, mode),
        )

    def cursor_at(self, response: SearchResponse, offset: int, filters: SearchFilter) -> str:
        """Return the cursor that continues the ranking of a response after ``offset`` hits.

        For a caller that could use only part of a page; ``filters`` are those of its search.
        """
        scope = CursorScope(
            query=response.query, mode=response.mode, filters=filters, ranking=self._ranking
        )
        answered = [
            name for name, report in response.channels.items() if report.status is ChannelStatus.OK
        ]
        cursor = Cursor(offset=offset, revision=response.revision, channels=channel_names(answered))
        return encode_cursor(scope, cursor)

    def _embed(self, text: str, mode: SearchMode) -> _Embedded:
        embedder = self._embedder
        if mode is SearchMode.LEXICAL:
            return _Embedded(status=ChannelStatus.OFF)
        if embedder is None:
            if mode is SearchMode.VECTOR:
                raise _no_embedder()
            return _Embedded(status=ChannelStatus.OFF, detail="no embedder is configured")
        if not covers(embedder.scripts, text):
            reads = ", ".join(sorted(embedder.scripts or ()))
            return _Embedded(
                status=ChannelStatus.NOT_COVERED,
                detail=f"{embedder.identity.name} reads {reads} only, and the query is written "
                "in another script",
            )
        try:
            rows = np.asarray(embedder.embed_query(text))[np.newaxis]
            vector = checked_vectors(rows, count=1, identity=embedder.identity)[0]
        except EmbeddingError as error:
            if mode is SearchMode.VECTOR:
                raise
            _log.warning("the query was not embedded", code=error.code, message=error.message)
            return _Embedded(status=ChannelStatus.ERROR, detail=error.message, error=error)
        return _Embedded(vector=vector)

    def _ask_store(
        self, query: StoreQuery, embedded: _Embedded, deadline_s: float
    ) -> StoreResponse:
        try:
            return self._store.search(query)
        except StoreError as error:
            if embedded.error is not None:
                causes = {"lexical": error.to_wire(), "vector": embedded.error.to_wire()}
                raise RetrievalError(
                    f"no channel answered (lexical: {error.message}; "
                    f"vector: {embedded.error.message})",
                    hint=error.hint or embedded.error.hint,
                    details={"causes": causes},
                ) from error
            if isinstance(error, StoreTimeoutError):
                raise _too_late(deadline_s, error.message) from error
            raise


def _explained(
    reports: Mapping[Channel, ChannelReport], mode: SearchMode, embedded: _Embedded
) -> Mapping[Channel, ChannelReport]:
    """Add to the reports, in channel order, why a channel was not asked."""
    explained = {}
    for channel in Channel:
        report = reports.get(channel) or ChannelReport(channel=channel, status=ChannelStatus.OFF)
        detail, code = report.detail, report.error_code
        if detail is None:
            if channel is Channel.VECTOR and embedded.detail:
                detail, code = embedded.detail, embedded.error.code if embedded.error else None
            elif report.status is ChannelStatus.NO_TERMS:
                detail = "the query has no searchable word"
            elif report.status is ChannelStatus.OFF:
                detail = (
                    "this store does not have it"
                    if mode is SearchMode.HYBRID
                    else f"{mode} mode does not ask it"
                )
        if detail is not report.detail:
            report = replace(report, detail=detail, error_code=code)
        explained[channel] = report
    return MappingProxyType(explained)


def _warnings(
    channels: Mapping[Channel, ChannelReport], degraded: tuple[Channel, ...], mode: SearchMode
) -> tuple[str, ...]:
    said = [
        f"the {channel} channel failed ({channels[channel].detail}); the hits are those of the "
        "other channel, under its own score label and kind"
        for channel in degraded
    ]
    vector = channels[Channel.VECTOR]
    if mode is SearchMode.VECTOR and vector.status is ChannelStatus.NOT_COVERED:
        said.append(f"nothing was searched: {vector.detail}; use mode hybrid or lexical")
    return tuple(said)


def _no_embedder() -> InvalidArgumentError:
    names = get_args(EmbeddingSettings.model_fields["embedder"].annotation)
    embedders = ", ".join(name for name in names if name != "none")
    return InvalidArgumentError(
        "mode 'vector' needs an embedder, and none is configured",
        given="vector",
        allowed="lexical, hybrid",
        hint=f"search with mode lexical, or set embedding.embedder to one of {embedders} "
        "and ingest again",
    )


def _too_late(deadline_s: float, reason: str) -> DeadlineExceededError:
    return DeadlineExceededError(
        f"no answer within {deadline_s:g} s: {reason}",
        given=deadline_s,
        hint="allow more time with deadline_s",
    )
