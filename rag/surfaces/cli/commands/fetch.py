"""``rag fetch``."""

from __future__ import annotations

from typing import Literal

from rag.errors import InvalidArgumentError
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import print_json


def fetch_command(
    kind: Literal["chunk", "document", "span"],
    name: str,
    start: int | None = None,
    end: int | None = None,
    /,
    *,
    context: int = 0,
    max_tokens: int | None = None,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Read stored text back: a chunk, a document, or lines (pages of a PDF) of one.

    Lines are numbered as citations number them.

    Examples:
      rag fetch chunk 0f3a… --context 1
      rag fetch document guide/backup.md --max-tokens 500
      rag fetch span guide/backup.md 10 24

    Parameters
    ----------
    kind
        chunk, document or span.
    name
        A chunk_id; or a doc_id or path, as `rag list` prints it.
    start
        First line or page of a span, from 1.
    end
        Last line or page of a span; default: the first.
    context
        Neighbouring chunks to show on either side of a chunk, 0 to 50.
    max_tokens
        Cut a document or span at the line where it would exceed this.
    """
    from rag.surfaces.cli.fetch_view import print_fetch
    from rag.wire import to_wire

    if (kind == "span") != (start is not None):
        raise InvalidArgumentError(
            "a span needs its first line" if kind == "span" else f"a {kind} takes no line numbers",
            given=start,
            allowed="rag fetch span NAME START [END]",
        )
    with common.open() as base:
        fetcher = base.parts.fetcher
        if kind == "chunk":
            result = fetcher.chunk(name, context=context)
        elif start is None:
            result = fetcher.document(name, max_tokens=max_tokens)
        else:
            result = fetcher.span(name, start, end or start, max_tokens=max_tokens)
    if common.json:
        print_json(to_wire(result))
    else:
        print_fetch(result)
    return 0
