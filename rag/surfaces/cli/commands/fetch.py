"""``rag fetch``."""

from __future__ import annotations

from rag.surfaces.cli.options import CommonOptions, WholeNumber
from rag.surfaces.cli.terminal import print_record


def fetch_command(
    kind: str,
    name: str,
    start: WholeNumber | None = None,
    end: WholeNumber | None = None,
    /,
    *,
    context: WholeNumber = 0,
    max_tokens: WholeNumber | None = None,
    source: str | None = None,
    tenant: str | None = None,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Read stored text back: a chunk, a document, or lines (pages of a PDF) of one.

    Lines are numbered as citations number them.

    For example:
      rag fetch chunk 0f3a… --context 1
      rag fetch document guide/backup.md --max-tokens 500
      rag fetch span guide/backup.md 10 24
      rag fetch span guide/backup.md#L10-L24

    Parameters
    ----------
    kind
        chunk, document or span.
    name
        A chunk_id; a doc_id or path, as `rag list` prints it; for a span also a citation.
    start
        First line or page of a span, from 1; not needed beside a citation.
    end
        Last line or page of a span; default: the first.
    context
        Neighbouring chunks to show on either side of a chunk, 0 to 50.
    max_tokens
        Cut a document or span at the line where it would exceed this.
    source
        The document's source, where several have its path.
    tenant
        The document's tenant, where several have its path; "" for none.
    """
    from rag.requests.fetch_request import parse_fetch
    from rag.surfaces.cli.fetch_view import print_fetch

    given = parse_fetch(
        {
            "kind": kind,
            "name": name,
            "start": start,
            "end": end,
            "context": context,
            "max_tokens": max_tokens,
            "source": source,
            "tenant": tenant,
        }
    )
    with common.open() as base:
        result = base.fetch(given)
    if common.json:
        print_record(result)
    else:
        print_fetch(result)
    return 0
