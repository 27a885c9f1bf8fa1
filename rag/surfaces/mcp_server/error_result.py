"""A failed call as a tool result: in words for a model, as ``error.v1`` for a program."""

from __future__ import annotations

from mcp.types import CallToolResult, TextContent

from rag.errors import RagError

ERROR_KEY = "rag-evidence/error"
"""Key of the ``error.v1`` object in the result's ``_meta``.

Not in the structured content: clients hold that against the tool's output schema even where the
call failed.
"""


def error_result(error: RagError) -> CallToolResult:
    """Return the result of a call that raised ``error``."""
    lines = [f"error: {error.message}"]
    if error.allowed and error.allowed not in error.message:
        lines.append(f"allowed: {error.allowed}")
    if error.hint:
        lines.append(f"hint: {error.hint}")
    lines.append(f"code: {error.code}")
    return CallToolResult(
        content=[TextContent(type="text", text="\n".join(lines))],
        is_error=True,
        _meta={ERROR_KEY: error.to_wire()},
    )
