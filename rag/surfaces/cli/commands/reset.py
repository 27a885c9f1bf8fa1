"""``rag reset``."""

from __future__ import annotations

import sys

from rag.errors import ConfirmationRequiredError
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import Page, note, print_record
from rag.surfaces.counted import counted


def reset_command(
    *,
    source: str | None = None,
    yes: bool = False,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Remove every document from the base, or every one of a source.

    Your files stay as they are. On a terminal you are asked first; anywhere else --yes is needed.

    For example:
      rag reset
      rag reset --source wiki --yes

    Parameters
    ----------
    source
        Remove this source's documents only; see `rag schema` for their names.
    yes
        Do not ask.
    """
    with common.open(writes="reset") as base:
        try:
            report = base.reset(source=source, confirm=yes)
        except ConfirmationRequiredError as error:
            if common.json or not sys.stdin.isatty() or not _agreed(error.message):
                raise
            report = base.reset(source=source, confirm=True)
    if common.json:
        print_record(report)
    else:
        documents, chunks = counted(report.documents, "document"), counted(report.chunks, "chunk")
        Page().line(f"deleted {documents} with {chunks}")
    return 0


def _agreed(what: str) -> bool:
    note(f"{what}; your files stay as they are")
    sys.stderr.write("go on? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
