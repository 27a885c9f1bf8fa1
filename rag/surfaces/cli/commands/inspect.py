"""``rag inspect``."""

from __future__ import annotations

from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import print_json


def inspect_command(
    name: str,
    /,
    *,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Show all that is stored of a document: its facts, and its chunks with their citations.

    Examples:
      rag inspect guide/backup.md
      rag inspect guide/backup.md --json

    Parameters
    ----------
    name
        A doc_id or path, as `rag list` prints it.
    """
    from rag.surfaces.cli.fetch_view import print_inspection
    from rag.wire import to_wire

    with common.open() as base:
        inspection = base.inspect(name)
    if common.json:
        print_json(to_wire(inspection))
    else:
        print_inspection(inspection)
    return 0
