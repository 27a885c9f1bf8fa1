"""The tool ``schema``: what the base holds and can do."""

from __future__ import annotations

from rag.requests.request import Request, parse_as
from rag.surfaces.mcp_server.text_blocks import schema_text
from rag.surfaces.mcp_server.tool import READS, Answer, Call, Tool
from rag.tool.tool_schema import input_schema
from rag.wire import to_wire

DESCRIPTION = """\
Says what this knowledge base holds and can do: documents and sources, search modes, filter keys, \
limits, embedder, fusion. Ask once, before filtering."""


class SchemaArguments(Request):
    """``schema`` takes none."""


def run(call: Call) -> Answer:
    """Describe the base."""
    parse_as(SchemaArguments, call.arguments)
    capabilities = call.base.describe()
    return Answer(text=schema_text(capabilities), structured=to_wire(capabilities))


SCHEMA = Tool(
    name="schema",
    title="What this base can do",
    description=DESCRIPTION,
    takes=input_schema(SchemaArguments),
    gives="schema.v1",
    annotations=READS,
    run=run,
)
