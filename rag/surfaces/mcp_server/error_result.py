"""A failed call as a tool result: in words for a model, as ``error.v1`` for a program."""

from __future__ import annotations

from mcp.types import CallToolResult, TextContent

from rag.errors import RagError
from rag.tool.result_text import error_text

ERROR_KEY = "rag-evidence/error"
"""Key of the ``error.v1`` object in the result's ``_meta``.

Not in the structured content: clients hold that against the tool's output schema even where the
call failed.
"""


def error_result(error: RagError) -> CallToolResult:
    """Return the result of a call that raised ``error``."""
    return CallToolResult(
        content=[TextContent(type="text", text=error_text(error))],
        is_error=True,
        _meta={ERROR_KEY: error.to_wire()},
    )
