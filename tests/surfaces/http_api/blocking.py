"""A search service that waits at a gate, so that a test decides when a look-up ends."""

from __future__ import annotations

from threading import Event

from rag.base.knowledge_base import KnowledgeBase
from rag.retrieval import SearchQuery, SearchResponse, VectorSearchService

PATIENCE_S = 60  # a test that fails must end all the same


class Gate:
    """Lets searches through once it is open."""

    def __init__(self) -> None:
        self.entered = Event()
        self.deadlines: list[float | None] = []
        self._opened = Event()

    def open(self) -> None:
        self._opened.set()

    def pass_through(self, query: SearchQuery) -> None:
        self.deadlines.append(query.deadline_s)
        self.entered.set()
        assert self._opened.wait(PATIENCE_S)


class BlockingService(VectorSearchService):
    """Waits at its gate before each search."""

    gate: Gate | None = None

    def search(self, query: SearchQuery) -> SearchResponse:
        if self.gate is not None:
            self.gate.pass_through(query)
        return super().search(query)

    @staticmethod
    def gate_of(base: KnowledgeBase) -> Gate:
        """Put a gate into a base's search service and return it."""
        service = base.parts.service
        assert isinstance(service, BlockingService)
        service.gate = Gate()
        return service.gate
