"""What a tool of the server is, what it is called with, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.types import ToolAnnotations

from rag.base.knowledge_base import KnowledgeBase
from rag.ingest.protocol import IngestProgress
from rag.settings import Settings
from rag.surfaces.shared_base import SharedBase
from rag.wire import json_schema

# The hints of the protocol: what a client may let a model do without asking.
READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
# An ingest replaces what was stored under the same path before, and twice is as good as once.
REPLACES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: the arguments as the client sent them, and all that a tool may use.

    ``session_id`` names the conversation, where the transport knows one. ``roots`` are the
    folders that a tool may read files from.
    """

    arguments: Mapping[str, Any]
    settings: Settings
    shared: SharedBase
    progress: IngestProgress
    session_id: str | None = None
    roots: tuple[Path, ...] = ()

    @property
    def base(self) -> KnowledgeBase:
        """The base to read from; a store that does not exist is an error, never made."""
        return self.shared.get()

    @property
    def base_to_write(self) -> KnowledgeBase:
        """The base to write to, made where it does not exist."""
        return self.shared.get(create=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a call gives: a text for a model to read, and an object by the tool's schema."""

    text: str
    structured: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool; ``run`` is called in a thread and raises ``RagError`` only.

    ``gives`` is the published object that ``structured`` follows. ``smaller`` says in words how
    to ask for less, where a result may become too large.
    """

    name: str
    title: str
    description: str
    takes: Mapping[str, Any]
    gives: str
    annotations: ToolAnnotations
    run: Callable[[Call], Answer]
    smaller: str = "ask for less"

    @property
    def writes(self) -> bool:
        """Whether it changes the base."""
        return not self.annotations.read_only_hint

    def output_schema(self) -> dict[str, Any]:
        """Return the schema of ``structured``; its dialect is the protocol's default."""
        return {key: value for key, value in json_schema(self.gives).items() if key != "$schema"}
