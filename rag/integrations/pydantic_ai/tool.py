"""``lookup_knowledge`` as a pydantic-ai tool."""

from __future__ import annotations

from typing import Any

from pydantic_ai import ModelRetry, Tool, ToolReturn

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidInputError
from rag.integrations.tool_call import look_up
from rag.tool.result_text import error_text, lookup_text
from rag.tool.tool_schema import TOOL_DESCRIPTION, TOOL_NAME, input_schema
from rag.wire import to_wire


def lookup_tool(
    base: KnowledgeBase, *, session_id: str | None = None, tenant: str | None = None
) -> Tool[Any]:
    """Return the tool; the model reads a text, and ``metadata`` holds ``rag_tool_result.v1``.

    Arguments at fault go back to the model as a retry, within the agent's limit of them; every
    other ``RagError`` is raised, since no model can mend it. ``session_id`` names the
    conversation, so that look-ups which lead nowhere new are noticed. ``tenant`` is the one whose
    documents the model may see; a filter that names another is at fault. The call runs in a
    thread.
    """

    def run(**arguments: Any) -> ToolReturn:
        try:
            result = look_up(base, arguments, session_id=session_id, tenant=tenant)
        except InvalidInputError as error:
            raise ModelRetry(error_text(error)) from error
        return ToolReturn(return_value=lookup_text(result), metadata=to_wire(result))

    return Tool.from_schema(
        run, name=TOOL_NAME, description=TOOL_DESCRIPTION, json_schema=input_schema()
    )
