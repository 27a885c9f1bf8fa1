"""The channel of words: BM25 over an FTS5 index."""

from __future__ import annotations

import numpy as np

from rag.ranking.records import (
    Channel,
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
)
from rag.stores.local.bm25 import Bm25
from rag.stores.local.engine import LocalEngine
from rag.stores.local.scope import corpus, scope
from rag.stores.local.term_report import report_terms
from rag.stores.local.top import top_positions
from rag.stores.records import StoreQuery, TermReport
from rag.text import Analyzer, make_snippet


class LexicalRetriever:
    """Ranks the chunks that hold any word of the query by BM25.

    The words are ORed and every chunk with one of them is scored, exactly; there is no query
    syntax. A tenant's words are counted within the tenant; other filters change no score.

    Args:
        engine: The store.
        analyzer: The analyser that the index was built with.
        bm25: The formula's parameters.
        snippets: Give each hit its snippet; the store leaves it out and adds it to the page.
    """

    channel = Channel.LEXICAL

    def __init__(
        self, engine: LocalEngine, analyzer: Analyzer, bm25: Bm25, *, snippets: bool = True
    ) -> None:
        self._engine = engine
        self._analyzer = analyzer
        self._bm25 = bm25
        self._snippets = snippets

    def index_version(self) -> str:
        return self._engine.index_version()

    def has_terms(self, text: str) -> bool:
        return bool(self._analyzer.query_terms(text))

    def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
        return self.search_with_terms(query)[0]

    def search_with_terms(self, query: StoreQuery) -> tuple[tuple[SearchHit, ...], TermReport]:
        """Return the hits, and what the query's words weigh among the chunks searched."""
        terms = self._analyzer.query_terms(query.text)
        if not terms:
            return (), TermReport(total=0, saturation=self._bm25.k1 + 1, terms=(), holds=())
        with self._engine.view() as view:
            table = view.table
            words = self._engine.postings.postings(view.connection, table, terms)
            counted = corpus(view.connection, table, query.filters)
            scores = self._bm25.scores(
                table, words, corpus=counted, corpus_key=query.filters.tenant
            )
            if not (query.filters.is_empty and table.all_live):
                scores *= scope(view.connection, table, query.filters)
            matching = np.flatnonzero(scores)
            best = top_positions(scores[matching], matching, table.id_keys, query.candidates)
            report = report_terms(terms, words, counted, best, saturation=self._bm25.k1 + 1)
            rows = table.rows[best].tolist()
            chunks = self._engine.catalog.chunks_by_row(view.connection, view.state.store_id, rows)
        hits = tuple(
            SearchHit(
                chunk=chunks[row],
                rank=rank,
                score=score,
                score_label=ScoreLabel.HYBRID,
                score_kind=ScoreKind.BM25,
                retrieval=RetrievalDetail(method="lexical", lexical_score=score, lexical_rank=rank),
                snippet=make_snippet(chunks[row].text, terms, self._analyzer, query.snippet_chars)
                if self._snippets
                else None,
            )
            for rank, (row, score) in enumerate(zip(rows, scores[best].tolist(), strict=True), 1)
        )
        return hits, report
