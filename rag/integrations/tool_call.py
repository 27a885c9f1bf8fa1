"""One call of ``lookup_knowledge`` by a framework's agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidFilterError
from rag.evidence import RagToolResult
from rag.requests.lookup_request import parse_request


def look_up(
    base: KnowledgeBase,
    arguments: Mapping[str, Any],
    *,
    session_id: str | None,
    tenant: str | None,
) -> RagToolResult:
    """Answer the arguments as the model sent them; null counts as left out.

    ``session_id`` names the conversation that look-ups are counted in, where the call names none.
    ``tenant`` is the one whose documents the model may see, whatever its filters say.

    Raises:
        InvalidInputError: the arguments are at fault, and the model can mend them.
        RagError: the base is.
    """
    given = dict(arguments)
    if session_id is not None and given.get("attempt") is None and not given.get("session_id"):
        given["session_id"] = session_id
    if tenant is None:
        return base.lookup(given)
    request = parse_request(given)
    if request.filters.tenant not in (None, tenant):
        raise InvalidFilterError(
            f"this tool sees the documents of {tenant!r} alone",
            given=request.filters.tenant,
            allowed=tenant,
            hint="leave the filter tenant out",
        )
    own = replace(request.filters, tenant=tenant)
    return base.lookup(request.model_copy(update={"filters": own}))
