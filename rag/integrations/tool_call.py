"""One call of ``lookup_knowledge`` by a framework's agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag.evidence import RagToolResult
from rag.knowledge_base import KnowledgeBase


def look_up(
    base: KnowledgeBase, arguments: Mapping[str, Any], session_id: str | None
) -> RagToolResult:
    """Answer the arguments as the model sent them; null counts as left out.

    ``session_id`` names the conversation that look-ups are counted in, where the call names none.

    Raises:
        InvalidInputError: the arguments are at fault, and the model can mend them.
        RagError: the base is.
    """
    given = dict(arguments)
    if session_id is not None and given.get("attempt") is None and not given.get("session_id"):
        given["session_id"] = session_id
    return base.lookup(given)
