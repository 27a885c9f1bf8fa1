"""The channel of words: Milvus' BM25 function over our analyser's terms."""

from __future__ import annotations

from rag.ranking.records import Channel, SearchHit
from rag.stores.milvus.candidates import candidate_fields, ranked, with_chunks
from rag.stores.milvus.index import MilvusIndex
from rag.stores.milvus.schema import SPARSE
from rag.stores.records import StoreQuery
from rag.text import Analyzer, encode_terms


class MilvusLexicalRetriever:
    """Ranks chunks by BM25 over the words of the query, any of which may match.

    The query is analysed here; the engine only splits the encoded terms at white space.
    Milvus Lite 3.2.2 returns BM25 negated; the sign is turned to higher is better.

    Args:
        complete: Read each hit's text and facts. The store does so itself, for the page that is
            asked for and no more.
    """

    channel = Channel.LEXICAL

    def __init__(self, index: MilvusIndex, analyzer: Analyzer, *, complete: bool = True) -> None:
        self._index = index
        self._analyzer = analyzer
        self._complete = complete

    def has_terms(self, text: str) -> bool:
        return bool(self._analyzer.query_terms(text))

    def search(self, query: StoreQuery) -> tuple[SearchHit, ...]:
        terms = self._analyzer.query_terms(query.text)
        if not terms:
            return ()
        (hits,) = self._index.search(
            SPARSE,
            [encode_terms(terms)],
            self._index.visible(self._index.ledger.state, query.filters).build(),
            limit=query.candidates,
            fields=candidate_fields(query.filters),
            timeout_s=query.timeout_s,
        )
        sign = self._index.bm25_sign
        found = ranked(
            self.channel,
            (
                (score, hit["entity"])
                for hit in hits
                if (score := sign * float(hit["distance"])) > 0
            ),
        )
        return with_chunks(found, self._index) if self._complete else found

    def index_version(self) -> str:
        return self._index.version()
