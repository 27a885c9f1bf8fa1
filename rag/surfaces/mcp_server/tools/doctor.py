"""The tool ``doctor``: the health of the base; it mends nothing."""

from __future__ import annotations

from contextlib import nullcontext

from rag.maintenance.diagnosis import diagnose
from rag.requests.request import Request, parse_as
from rag.surfaces.mcp_server.text_blocks import doctor_text
from rag.surfaces.mcp_server.tool import READS, Answer, Call, Tool
from rag.tool.tool_schema import input_schema
from rag.wire import to_wire

DESCRIPTION = """\
Checks settings, disk, store, embedder and index, and says what to do for each fault. Use it when \
other tools fail or find nothing where something should be. It changes nothing."""


class DoctorArguments(Request):
    """``doctor`` takes none."""


def run(call: Call) -> Answer:
    """Examine the base."""
    parse_as(DoctorArguments, call.arguments)
    report = diagnose(lambda: call.settings, lambda: nullcontext(call.base))
    return Answer(text=doctor_text(report), structured=to_wire(report))


DOCTOR = Tool(
    name="doctor",
    title="Check the base",
    description=DESCRIPTION,
    takes=input_schema(DoctorArguments),
    gives="doctor.v1",
    annotations=READS,
    run=run,
)
