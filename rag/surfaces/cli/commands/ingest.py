"""``rag ingest``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from rag.errors import InvalidArgumentError
from rag.surfaces.cli.ingest_view import print_report, progress_for
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import print_record

STANDARD_INPUT = "-"


def ingest_command(
    path: Annotated[str, Parameter(allow_leading_hyphen=True)],  # for - alone
    /,
    *,
    source: str | None = None,
    tenant: str = "",
    tags: Annotated[tuple[str, ...], Parameter(name=["--tags", "--tag"])] = (),
    trust: str = "primary",
    source_type: str = "document",
    name: str | None = None,
    force: bool = False,
    files: bool = False,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Read a folder, a file or standard input into the base; only what changed.

    Edited files are read again, deleted ones leave the base, unchanged ones cost nothing.
    .gitignore and .ragignore files are honoured.

    For example:
      rag ingest docs/
      rag ingest wiki/ --source wiki --trust secondary --tag wiki
      cat notes.md | rag ingest - --name notes/today.md

    Parameters
    ----------
    path
        Folder or file to read, or - for standard input (with --name).
    source
        Name of this origin of documents; a folder's default is "default", a file's "files".
    tenant
        Tenant that the documents belong to.
    tags
        Tag put on every document; repeat for several.
    trust
        How much they are trusted: primary, secondary or generated.
    source_type
        What kind of source this is, such as document or note.
    name
        Path under which standard input is stored; its suffix says what it is.
    force
        Read unchanged files again too.
    files
        List every file of the run, not only those with a problem.
    """
    from rag.ingest.folder_walk import walk_folder
    from rag.requests.ingest_arguments import PathIngest
    from rag.requests.request import parse_as

    if name is not None and path != STANDARD_INPUT:
        raise InvalidArgumentError(
            "--name is for standard input alone; a file is known by its path",
            given=name,
            allowed="rag ingest - --name PATH",
        )
    about: dict[str, Any] = {
        "source": source,
        "tenant": tenant,
        "tags": tags,
        "trust": trust,
        "source_type": source_type,
    }
    if path != STANDARD_INPUT:
        parse_as(PathIngest, {**about, "path": path, "force": force})
        # begun and left: a path with nothing there is told before a store is made
        walk_folder(Path(path), max_file_bytes=1)
    text = _standard_input(name, about) if path == STANDARD_INPUT else None
    with common.open(writes="ingest", create=True) as base:
        if text is not None:
            report = base.ingest_text(text, name=name or "", **about)
        else:
            with progress_for(quiet=common.json) as progress:
                report = base.ingest(Path(path), **about, force=force, progress=progress)
    if common.json:
        print_record(report)
    else:
        print_report(report, every_file=files)
    return 0


def _standard_input(name: str | None, about: dict[str, Any]) -> bytes:
    from rag.requests.ingest_arguments import TextIngest
    from rag.requests.request import parse_as

    if name is None:
        raise InvalidArgumentError(
            "standard input needs a name to be stored under",
            given=STANDARD_INPUT,
            allowed="--name with a relative path and a known suffix",
            hint="for example: rag ingest - --name notes/today.md",
        )
    parse_as(TextIngest, {**about, "name": name, "text": ""})
    return sys.stdin.buffer.read()
