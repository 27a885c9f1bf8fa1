"""The tool ``lookup_knowledge``: the one that an agent needs."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from rag.evidence.records import RagToolResult
from rag.requests.lookup_request import parse_request
from rag.surfaces.mcp_server.tool import READS, Answer, Call, Tool
from rag.tool.result_text import lookup_text
from rag.tool.tool_schema import TOOL_DESCRIPTION, TOOL_NAME, input_schema
from rag.wire import to_wire

# The server counts attempts by session; a model that filled these in would defeat the count.
COUNTED_HERE = ("attempt", "seen_chunk_ids")
IN_THE_TEXT = """

Here the text of the result holds the verdict and the context block, and the structured content \
everything else; its own context is empty, so that no passage is sent twice. Look-ups are \
counted: attempts_left says how many more of the same question may help."""


def run(call: Call) -> Answer:
    """Look one question up."""
    request = parse_request(call.arguments)
    session_id = session_of(call.session_id, request.session_id)
    if session_id is not None and request.attempt is None:
        request = request.model_copy(update={"session_id": session_id})
    result = call.base.parts.tool.lookup(request)
    return Answer(text=lookup_text(result), structured=without_context(result))


def session_of(of_transport: str | None, named: str | None) -> str | None:
    """Return under which name look-ups are counted.

    A name that the caller gave is kept apart from the same name in another session.
    """
    if of_transport is None or named is None:
        return named or of_transport
    return hashlib.sha256(f"{of_transport}\0{named}".encode()).hexdigest()


def without_context(result: RagToolResult) -> dict[str, Any]:
    """Return the wire object with its context block left to the text of the result."""
    return to_wire(replace(result, context=""))


def without_counts(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an input schema without what the server counts itself."""
    properties = {k: v for k, v in schema["properties"].items() if k not in COUNTED_HERE}
    return {**schema, "properties": properties}


LOOKUP_KNOWLEDGE = Tool(
    name=TOOL_NAME,
    title="Look up knowledge",
    description=TOOL_DESCRIPTION + IN_THE_TEXT,
    takes=without_counts(input_schema()),
    gives="rag_tool_result.v1",
    annotations=READS,
    run=run,
    smaller="ask with a smaller k or budget_tokens, and follow next_cursor for more",
)
