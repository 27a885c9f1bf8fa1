"""``rag fetch``."""

from __future__ import annotations

from typing import Literal

from rag.errors import InvalidArgumentError
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import print_record


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
    """
    from rag.surfaces.cli.fetch_view import print_fetch

    _check(kind, start, context, max_tokens)
    with common.open() as base:
        if kind == "chunk":
            result = base.fetch_chunk(name, context=context)
        elif kind == "document":
            result = base.fetch_document(name, max_tokens=max_tokens)
        else:
            result = base.fetch_span(name, start, end, max_tokens=max_tokens)
    if common.json:
        print_record(result)
    else:
        print_fetch(result)
    return 0


def _check(kind: str, start: int | None, context: int, max_tokens: int | None) -> None:
    """Refuse what the kind has no use for, rather than pass over it."""
    for given, kinds, name in (
        (start, ("span",), "line numbers"),
        (context or None, ("chunk",), "--context"),
        (max_tokens, ("document", "span"), "--max-tokens"),
    ):
        if given is not None and kind not in kinds:
            raise InvalidArgumentError(
                f"a {kind} takes no {name}", given=given, allowed=f"with: {', '.join(kinds)}"
            )
