"""The tool ``ingest_text``: a text that the agent has, into the base."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rag.surfaces.mcp_server.text_blocks import ingest_text
from rag.surfaces.mcp_server.tool import (
    REPLACES,
    Answer,
    Call,
    Tool,
    ToolArguments,
    parse_arguments,
)
from rag.surfaces.mcp_server.tools.ingest_file import MAX_TAGS
from rag.tool.tool_schema import input_schema
from rag.wire import to_wire

MAX_TEXT_CHARS = 1_000_000  # a few hundred pages; more comes as a file
AGENT_SOURCE = "agent"
DESCRIPTION = """\
Stores a text in the knowledge base under a name of your choice, such as notes/today.md, so that \
it can be looked up later. A text stored under the same name before is replaced. Unless you say \
otherwise it is kept apart as source agent, type note, trust generated: what a model wrote is not \
what a document says."""


class IngestTextArguments(ToolArguments):
    """Arguments of ``ingest_text``."""

    text: str = Field(
        min_length=1, max_length=MAX_TEXT_CHARS, description="The text, such as Markdown."
    )
    name: str = Field(
        min_length=1,
        max_length=1_000,
        description="A relative path to store it under; its suffix says what it is: notes/a.md.",
    )
    source: str = Field(
        default=AGENT_SOURCE, min_length=1, max_length=100, description="Name of its origin."
    )
    tenant: str = Field(default="", max_length=200, description="Tenant that it belongs to.")
    tags: tuple[str, ...] = Field(
        default=(), max_length=MAX_TAGS, strict=False, description="Tags to find it by."
    )
    trust: Literal["primary", "secondary", "generated"] = Field(
        default="generated", description="How much it is trusted."
    )
    source_type: str = Field(
        default="note", max_length=100, description="What kind of source it is."
    )


def run(call: Call) -> Answer:
    """Store the text."""
    given = parse_arguments(IngestTextArguments, call.arguments)
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
    takes=input_schema(IngestTextArguments),
    gives="ingest_report.v1",
    annotations=REPLACES,
    run=run,
)
