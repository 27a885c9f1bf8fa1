"""Asks a base every question once; all measures are taken from what its channels said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from rag.answerability import channel_lists
from rag.evaluation.records import Construction, Observation, Question
from rag.ranking.records import SearchMode, StoredChunk
from rag.retrieval.records import SearchQuery
from rag.retrieval.search_service import VectorSearchService
from rag.stores.protocol import KnowledgeStore
from rag.text import Analyzer

Progress = Callable[[int], None]


class Observer:
    """Asks questions of one base.

    Args:
        service: Answers searches.
        store: Says which chunks a document has.
        analyzer: Counts the words of a question.
    """

    def __init__(
        self, service: VectorSearchService, store: KnowledgeStore, analyzer: Analyzer
    ) -> None:
        self._service = service
        self._store = store
        self._analyzer = analyzer
        self._chunks: dict[str, tuple[StoredChunk, ...]] = {}
        self._documents: dict[str, str] = {}
        for document in store.documents():
            chunks = store.chunks(document.doc_id)
            self._chunks[document.uri] = (*self._chunks.get(document.uri, ()), *chunks)
            self._documents |= {chunk.chunk_id: document.uri for chunk in chunks}

    def observe(
        self, questions: Iterable[Question], progress: Progress | None = None
    ) -> Iterator[Observation]:
        """Yield what the channels said to each question, in hybrid mode with empty filters."""
        for done, question in enumerate(questions, 1):
            response = self._service.search(
                SearchQuery(text=question.text, mode=SearchMode.HYBRID, k=10)
            )
            words = len(self._analyzer.query_terms(question.text))
            lists = channel_lists(response.channels, words)
            found = {entry.chunk_id for entry in (*(lists.lexical or ()), *(lists.vector or ()))}
            yield Observation(
                question=question,
                lists=lists,
                documents={chunk: self._documents.get(chunk, "") for chunk in found},
                relevant_chunks=self._relevant_chunks(question),
                took_ms=response.took_ms,
                embed_ms=response.embed_ms,
            )
            if progress is not None:
                progress(done)

    def missing(self, question: Question) -> tuple[str, ...]:
        """Return the relevant paths of a question that the base does not hold."""
        return tuple(path for path in question.relevant if path not in self._chunks)

    def _relevant_chunks(self, question: Question) -> frozenset[str]:
        found = set()
        for path in question.relevant:
            span = question.spans.get(path)
            for chunk in self._chunks.get(path, ()):
                if span is None or (chunk.span.start <= span[1] and chunk.span.end >= span[0]):
                    found.add(chunk.chunk_id)
        return frozenset(found)


def with_relevant_removed(observation: Observation) -> Observation:
    """Return the observation of the same question in a base that lacks its relevant documents."""
    question = replace(observation.question, construction=Construction.REMOVED, relevant={})
    return replace(
        observation,
        question=question,
        lists=observation.lists.without(observation.relevant_chunks),
        relevant_chunks=frozenset(),
    )
