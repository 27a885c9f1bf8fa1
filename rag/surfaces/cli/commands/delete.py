"""``rag delete``."""

from __future__ import annotations

from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import Page, print_record, shown
from rag.surfaces.counted import counted


def delete_command(
    name: str,
    /,
    *,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Remove one document from the base.

    A later ingest of its folder adds it again while its file is there.

    For example:
      rag delete guide/backup.md

    Parameters
    ----------
    name
        A doc_id or path, as `rag list` prints it.
    """
    with common.open(writes="delete") as base:
        report = base.delete(name)
    if common.json:
        print_record(report)
    else:
        Page().line(f"deleted {shown(report.name or '')}: {counted(report.chunks, 'chunk')}")
    return 0
