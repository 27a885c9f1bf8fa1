"""``rag list``."""

from __future__ import annotations

from rag.surfaces.cli.options import CommonOptions, FilterOptions, WholeNumber
from rag.surfaces.cli.terminal import Page, print_record, shown
from rag.surfaces.counted import counted


def list_command(
    *,
    limit: WholeNumber | None = None,
    offset: WholeNumber = 0,
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
        Show no more than this many, at most 10,000; default: all.
    offset
        Pass over this many first.
    """
    from rag.requests.list_request import ListRequest
    from rag.requests.request import parse_as

    given = parse_as(ListRequest, {"filters": filters.given(), "limit": limit, "offset": offset})
    with common.open() as base:
        found = base.list_documents(given.filters, limit=given.limit, offset=given.offset)
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
                f"{counted(document.chunk_count, 'chunk'):>11}",
                shown(document.title),
            )
            for document in found.documents
        ]
    )
    left = found.total - given.offset - len(found.documents)
    if left > 0:
        page.line(f"… and {left} more")
    elif not found.total:
        page.line("no documents")
    return 0
