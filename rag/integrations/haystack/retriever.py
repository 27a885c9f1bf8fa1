"""A base as a Haystack component."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

import rag
from rag.base.knowledge_base import KnowledgeBase
from rag.evidence import RagToolResult
from rag.integrations.haystack.documents import evidence_documents
from rag.settings import load_settings


@component
class KnowledgeRetriever:
    """Looks a query up, and gives the evidence as documents and the whole result beside them.

    The base is opened by its place, so that a pipeline can be written down and read again: at
    ``warm_up`` or the first run, and never made. ``score`` of a document is its quality, a
    ranking signal; ``result`` holds the verdict, the advice and the context block. Errors are
    ``RagError``.

    Args:
        store: Where the index lives; None takes ``store.uri`` of the settings.
        config: A settings file; None takes ``rag.toml`` in the working folder, if any.
        mode, k, filters, budget_tokens, min_quality: Those of every look-up; ``filters`` are
            this package's, not Haystack's.
    """

    def __init__(
        self,
        store: str | None = None,
        *,
        config: str | None = None,
        mode: str | None = None,
        k: int | None = None,
        filters: dict[str, Any] | None = None,
        budget_tokens: int | None = None,
        min_quality: float | None = None,
    ) -> None:
        self.store = store
        self.config = config
        self.options = {
            "mode": mode,
            "k": k,
            "filters": filters,
            "budget_tokens": budget_tokens,
            "min_quality": min_quality,
        }
        self._base: KnowledgeBase | None = None
        self._lock = Lock()

    def warm_up(self) -> None:
        """Open the base, once."""
        self._opened()

    def close(self) -> None:
        """Free the base; a later run opens it again."""
        with self._lock:
            base, self._base = self._base, None
        if base is not None:
            base.close()

    def to_dict(self) -> dict[str, Any]:
        """Return the component as Haystack writes it down: places and options, no base."""
        return default_to_dict(self, store=self.store, config=self.config, **self.options)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> KnowledgeRetriever:
        """Return the component that ``to_dict`` wrote down."""
        made: KnowledgeRetriever = default_from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document], result=RagToolResult)
    def run(
        self, query: str, k: int | None = None, filters: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Look one query up; ``k`` and ``filters`` take the place of the component's own."""
        options = dict(self.options)
        if k is not None:
            options["k"] = k
        if filters is not None:
            options["filters"] = filters
        given = {name: value for name, value in options.items() if value is not None}
        result = self._opened().lookup(query, **given)
        return {"documents": evidence_documents(result), "result": result}

    def _opened(self) -> KnowledgeBase:
        with self._lock:
            if self._base is None:
                over = {} if self.store is None else {"store": {"uri": self.store}}
                config = None if self.config is None else Path(self.config)
                self._base = rag.open(load_settings(config, **over), create=False)
            return self._base
