"""The tool ``lookup_knowledge_batch``: several questions, one budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rag.errors import InvalidArgumentError
from rag.surfaces.mcp_server.text_blocks import batch_text
from rag.surfaces.mcp_server.tool import READS, Answer, Call, Tool
from rag.surfaces.mcp_server.tools.lookup_knowledge import look_up_schema, session_of
from rag.tool.batch_request import MAX_BATCH
from rag.wire import to_wire

DESCRIPTION = """\
Looks up several questions at once and packs their evidence into one shared token budget: each \
question gets its best passage first, and a passage that two questions found is sent once.

Use it where a task falls into parts; read each question's verdict as with lookup_knowledge. \
Quality is a ranking signal, not confidence. Evidence is numbered through the whole batch. A \
question that fails has its error at its place. The other arguments hold for every question; k is \
smaller by default the more questions there are. Up to ten questions fit well."""
HITS = 50  # of all questions together, where k is not given; more would fill a client's limit
OF_ONE_QUESTION = ("query", "cursor")


def run(call: Call) -> Answer:
    """Look the questions up."""
    options = {name: value for name, value in call.arguments.items() if value is not None}
    queries = options.pop("queries", None)
    if not isinstance(queries, list):
        allowed = f"a list of 1 to {MAX_BATCH} questions"
        raise InvalidArgumentError(
            f"'queries' must be {allowed}; got {type(queries).__name__}",
            given=queries,
            allowed=allowed,
        )
    if options.get("k") is None and queries:
        options["k"] = min(call.settings.search.k, max(1, HITS // len(queries)))
    session_id = session_of(call.session_id, _text_or_none(options.get("session_id")))
    if session_id is not None and "attempt" not in options:
        options["session_id"] = session_id
    result = call.base.parts.tool.lookup_many(queries, **options)
    return Answer(text=batch_text(result), structured=to_wire(replace(result, context="")))


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def batch_schema() -> dict[str, Any]:
    """Return the schema of a list of questions, with the options of a look-up for all of them."""
    shared = look_up_schema()["properties"]
    return {
        "type": "object",
        "properties": {
            "queries": {
                "type": "array",
                "items": shared["query"],
                "minItems": 1,
                "maxItems": MAX_BATCH,
                "description": "The questions.",
            },
            **{name: field for name, field in shared.items() if name not in OF_ONE_QUESTION},
        },
        "required": ["queries"],
        "additionalProperties": False,
    }


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
