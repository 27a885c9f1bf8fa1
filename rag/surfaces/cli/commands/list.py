"""``rag list``."""

from __future__ import annotations

from rag.surfaces.cli.options import CommonOptions, FilterOptions
from rag.surfaces.cli.terminal import print_json, shown


def list_command(
    *,
    filters: FilterOptions = FilterOptions(),  # noqa: B008  # frozen, so sharing it is safe
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """List the documents in the base, by source and path.

    Examples:
      rag list
      rag list --path-glob "guide/*.md" --json
    """
    from rag.wire import to_wire
    from rag.wire.base_reports import DocumentList

    with common.open() as base:
        documents = base.documents(filters.filter())
    if common.json:
        print_json(to_wire(DocumentList(documents=documents, total=len(documents))))
        return 0
    for document in documents:
        print(  # noqa: T201  # the CLI's own voice
            f"{document.chunk_count:5} chunks  {document.language:3}  "
            f"{shown(document.source)}:{shown(document.uri)}  {shown(document.title)}"
        )
    if not documents:
        print("no documents")  # noqa: T201  # the CLI's own voice
    return 0
