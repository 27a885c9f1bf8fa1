"""The tool ``ingest_text``: a text that the agent has, into the base."""

from __future__ import annotations

from rag.requests.ingest_arguments import TextIngest
from rag.requests.request import parse_as, without_nulls
from rag.surfaces.mcp_server.text_blocks import ingest_text
from rag.surfaces.mcp_server.tool import REPLACES, Answer, Call, Tool
from rag.tool.tool_schema import input_schema
from rag.wire import to_wire

AS_A_NOTE = {"source": "agent", "source_type": "note", "trust": "generated"}
DESCRIPTION = """\
Stores a text in the knowledge base under a name of your choice, such as notes/today.md, so that \
it can be looked up later. A text stored under the same name before is replaced. Unless you say \
otherwise it is kept apart as source agent, type note, trust generated: what a model wrote is not \
what a document says."""


def run(call: Call) -> Answer:
    """Store the text."""
    given = parse_as(TextIngest, {**AS_A_NOTE, **without_nulls(call.arguments, TextIngest)})
    base = call.base_to_write
    call.progress.scanned(1)
    report = base.ingest_text(
        given.text,
        name=given.name,
        source=given.source,
        tenant=given.tenant,
        tags=given.tags,
        trust=given.trust,
        source_type=given.source_type,
    )
    for file in report.files:
        call.progress.file_done(file.uri, str(file.outcome))
    return Answer(text=ingest_text(report), structured=to_wire(report))


INGEST_TEXT = Tool(
    name="ingest_text",
    title="Add a text",
    description=DESCRIPTION,
    takes=input_schema(TextIngest),
    gives="ingest_report.v1",
    annotations=REPLACES,
    run=run,
)
