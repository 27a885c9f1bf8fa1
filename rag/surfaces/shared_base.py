"""One base for all calls of a process, opened by the first that needs it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import StoreError
from rag.platform.logs import get_logger

OpenBase = Callable[[bool], KnowledgeBase]
"""Opens the base; True makes a store that does not exist yet."""

_log = get_logger(__name__)


class SharedBase:
    """Opens its base once, however many threads ask at the same time.

    A failure to open is the caller's who asked, and the next one tries again: a store that was
    locked or not there yet may be free by then. Safe to use from several threads.
    """

    def __init__(self, open_base: OpenBase) -> None:
        self._open_base = open_base
        self._base: KnowledgeBase | None = None
        self._closed = False
        self._lock = Lock()

    def get(self, *, create: bool = False) -> KnowledgeBase:
        """Return the open base; only with ``create`` is a missing store made.

        Raises:
            RagError: it cannot be opened, or was closed.
        """
        base = self._base
        if base is not None and not self._closed:
            return base
        with self._lock:
            if self._closed:
                raise StoreError("the server is shutting down")
            if self._base is None:
                self._base = self._open_base(create)
                _log.info("the base was opened", store=self._base.settings.store.uri)
            return self._base

    def close(self) -> None:
        """Free the base, if it was ever opened, and open none any more."""
        with self._lock:
            base, self._base, self._closed = self._base, None, True
        if base is not None:
            base.close()
