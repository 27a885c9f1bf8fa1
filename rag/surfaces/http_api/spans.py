"""What a service tells a tracer, if there is one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol


class ToolSpan(Protocol):
    """One call of a tool under way."""

    def set_output(self, output: str) -> None:
        """Say what the tool gave, as JSON."""
        ...


class Spans(Protocol):
    """Makes spans around calls of the tool."""

    def tool(self, name: str, arguments: Mapping[str, Any]) -> AbstractContextManager[ToolSpan]:
        """Return a context that is one call of the tool ``name``; an error ends it as failed."""
        ...


class NoSpans:
    """Tells nobody anything."""

    def tool(self, name: str, arguments: Mapping[str, Any]) -> AbstractContextManager[ToolSpan]:
        return nullcontext(_Silent())


class _Silent:
    def set_output(self, output: str) -> None:
        """Nobody listens."""
