"""The tool ``ingest_file``: one file of an allowed folder, into the base."""

from __future__ import annotations

from pathlib import Path

from rag.errors import InvalidArgumentError, PathNotFoundError, RefusedError
from rag.platform.at_path import at_path, real_path
from rag.requests.ingest_arguments import PathIngest
from rag.requests.request import parse_as
from rag.surfaces.mcp_server.text_blocks import ingest_text
from rag.surfaces.mcp_server.tool import REPLACES, Answer, Call, Tool
from rag.tool.tool_schema import input_schema
from rag.wire import to_wire

DESCRIPTION = """\
Reads one file of this machine into the knowledge base, so that it can be looked up: Markdown, \
text, HTML, PDF, DOCX, reStructuredText, notebooks, source code. What was stored of the same file \
before is replaced; an unchanged file costs nothing. Only files below the folders that the server \
was started with can be read; a relative path starts at the first of them. A file that cannot be \
used is reported with the reason."""


def run(call: Call) -> Answer:
    """Ingest the file."""
    given = parse_as(PathIngest, call.arguments)
    path = allowed_file(given.path, call.roots)
    report = call.base_to_write.ingest(
        path,
        source=given.source,
        tenant=given.tenant,
        tags=given.tags,
        trust=given.trust,
        source_type=given.source_type,
        force=given.force,
        progress=call.progress,
    )
    return Answer(text=ingest_text(report), structured=to_wire(report))


def allowed_file(given: str, roots: tuple[Path, ...]) -> Path:
    """Return the file with all links followed, if it lies below one of ``roots``.

    Whether a path outside them exists is not told.

    Raises:
        RefusedError: it lies outside, or there are no roots.
        PathNotFoundError, InvalidArgumentError: it is not there, or no file.
    """
    folders = ", ".join(map(str, roots)) or "none"
    path = real_path(roots[0] / given if roots else given)
    if not any(path.is_relative_to(root) for root in roots):
        raise RefusedError(
            f"{given!r:.200} lies outside the folders that this server may read",
            given=given,
            allowed=f"a file below: {folders}",
            hint="start the server with --root FOLDER to allow another folder",
        )
    found = at_path(path)
    if found.fault is not None:
        raise InvalidArgumentError(
            f"{given!r:.80} is no path that can be read: {found.fault}",
            given=given,
            allowed=f"a file below: {folders}",
            hint="check how the path is written, and the permissions of its folders",
        )
    if not found.exists:
        raise PathNotFoundError(
            f"there is no file at {path}",
            given=given,
            allowed="the path of an existing file",
            hint=f"a relative path starts at {roots[0]}",
        )
    if found.is_folder:
        raise InvalidArgumentError(
            f"{path} is a folder",
            given=given,
            allowed="the path of one file",
            hint="a whole folder is read on the command line, with: rag ingest FOLDER",
        )
    return path


INGEST_FILE = Tool(
    name="ingest_file",
    title="Add a file",
    description=DESCRIPTION,
    takes=input_schema(PathIngest),
    gives="ingest_report.v1",
    annotations=REPLACES,
    run=run,
)
