"""The tool ``lookup_knowledge_batch``: several questions, one budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rag.requests.batch_request import BatchRequest
from rag.requests.request import parse_as
from rag.surfaces.mcp_server.text_blocks import batch_text
from rag.surfaces.mcp_server.tool import READS, Answer, Call, Tool
from rag.surfaces.mcp_server.tools.lookup_knowledge import session_of, without_counts
from rag.tool.tool_schema import input_schema
from rag.wire import to_wire

DESCRIPTION = """\
Looks up several questions at once and packs their evidence into one shared token budget: each \
question gets its best passage first, and a passage that two questions found is sent once.

Use it where a task falls into parts; read each question's verdict as with lookup_knowledge. \
Quality is a ranking signal, not confidence. Evidence is numbered through the whole batch. What \
questions share stands once: a question without a hint has the one that hints gives for its \
reason. Where truncated is true, or to see raw scores and what was dropped, ask that question by \
itself with lookup_knowledge. A question that fails has its error at its place. The other \
arguments hold for every question; k is smaller by default the more questions there are. Up to \
twenty questions get a passage each by default; more want a larger budget_tokens."""


def run(call: Call) -> Answer:
    """Look the questions up."""
    request = parse_as(BatchRequest, call.arguments)
    session_id = session_of(call.session_id, request.session_id)
    if session_id is not None and request.attempt is None:
        request = request.model_copy(update={"session_id": session_id})
    result = call.base.parts.tool.lookup_many(request)
    return Answer(text=batch_text(result), structured=to_wire(replace(result, context="")))


def batch_schema() -> dict[str, Any]:
    """Return the input schema with questions as text alone, which models fill in reliably."""
    schema = without_counts(input_schema(BatchRequest))
    queries = schema["properties"]["queries"]
    text, _ = queries["items"]["anyOf"]
    plain = {**queries, "items": text, "description": "The questions."}
    return {**schema, "properties": {**schema["properties"], "queries": plain}}


LOOKUP_KNOWLEDGE_BATCH = Tool(
    name="lookup_knowledge_batch",
    title="Look up several questions",
    description=DESCRIPTION,
    takes=batch_schema(),
    gives="rag_batch_result.v1",
    annotations=READS,
    run=run,
    smaller="ask fewer questions at a time, or with a smaller k or budget_tokens",
)
