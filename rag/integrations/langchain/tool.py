"""``lookup_knowledge`` as a LangChain tool."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.tools import StructuredTool, ToolException

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidInputError
from rag.integrations.tool_call import look_up
from rag.tool.result_text import error_text, lookup_text
from rag.tool.tool_schema import TOOL_DESCRIPTION, TOOL_NAME, input_schema
from rag.wire import to_wire


def lookup_tool(
    base: KnowledgeBase, *, session_id: str | None = None, tenant: str | None = None
) -> StructuredTool:
    """Return the tool; its content is text for the model, its artifact ``rag_tool_result.v1``.

    Arguments at fault go back to the model as a tool message with status ``error``; every other
    ``RagError`` is raised, since no model can mend it. ``session_id`` names the conversation, so
    that look-ups which lead nowhere new are noticed. ``tenant`` is the one whose documents the
    model may see; a filter that names another is at fault.
    """

    def run(**arguments: Any) -> tuple[str, dict[str, Any]]:
        try:
            result = look_up(base, arguments, session_id=session_id, tenant=tenant)
        except InvalidInputError as error:
            raise ToolException(error_text(error)) from error
        return lookup_text(result), to_wire(result)

    async def run_in_thread(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return await asyncio.to_thread(run, **arguments)

    return StructuredTool(
        name=TOOL_NAME,
        description=TOOL_DESCRIPTION,
        args_schema=input_schema(),
        func=run,
        coroutine=run_in_thread,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
