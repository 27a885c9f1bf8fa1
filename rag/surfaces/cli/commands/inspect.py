"""``rag inspect``."""

from __future__ import annotations

from rag.errors import InvalidArgumentError
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import print_record

KINDS = ("document", "chunk")


def inspect_command(
    kind: str,
    name: str | None = None,
    /,
    *,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Show all that is stored of a document or a chunk.

    A document is shown with its facts and its chunks, a chunk with its place and its whole text.

    For example:
      rag inspect guide/backup.md
      rag inspect document guide/backup.md --json
      rag inspect chunk 0f3a…

    Parameters
    ----------
    kind
        document or chunk; left out, NAME is a document.
    name
        A doc_id or path, as `rag list` prints it; a chunk_id, as `rag search --json` does.
    """
    from rag.surfaces.cli.fetch_view import print_chunk, print_document

    if name is None:
        kind, name = "document", kind
    if kind not in KINDS:
        raise InvalidArgumentError(
            f"unknown kind {kind!r:.80}; expected one of: {', '.join(KINDS)}",
            given=kind,
            allowed=", ".join(KINDS),
        )
    with common.open() as base:
        if kind == "chunk":
            chunk = base.inspect_chunk(name)
            print_record(chunk) if common.json else print_chunk(chunk)
        else:
            document = base.inspect_document(name)
            print_record(document) if common.json else print_document(document)
    return 0
