"""``rag list``."""

from __future__ import annotations

from rag.surfaces.cli.options import CommonOptions, FilterOptions
from rag.surfaces.cli.terminal import Page, print_record, shown


def list_command(
    *,
    limit: int | None = None,
    filters: FilterOptions = FilterOptions(),  # noqa: B008  # frozen, so sharing it is safe
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """List the documents in the base, by source and path.

    For example:
      rag list
      rag list --path-glob "guide/*.md" --limit 20
      rag list --source wiki --json

    Parameters
    ----------
    limit
        Show no more than this many.
    """
    parsed = filters.filter()
    with common.open() as base:
        found = base.list_documents(parsed, limit=limit)
    if common.json:
        print_record(found)
        return 0
    page = Page()
    page.table(
        [
            (
                shown(document.source),
                shown(document.uri),
                document.language,
                f"{document.chunk_count:4} chunks",
                shown(document.title),
            )
            for document in found.documents
        ]
    )
    left = found.total - len(found.documents)
    if left > 0:
        page.line(f"… and {left} more")
    elif not found.total:
        page.line("no documents")
    return 0
