"""``rag copy``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from rag.errors import StoreNotInitialisedError
from rag.surfaces.cli.ingest_view import progress_for
from rag.surfaces.cli.options import CopyOptions
from rag.surfaces.cli.terminal import Page, print_record
from rag.surfaces.counted import counted


def copy_command(
    *,
    source: Annotated[str, Parameter(name="--from")],
    target: Annotated[str, Parameter(name="--to")],
    common: CopyOptions = CopyOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Copy the whole base into another store, vectors included.

    Nothing is embedded again and no model is loaded. What is written is read back and compared.
    An interrupted copy goes on where it stopped: run it again. Both stores are opened with the
    settings at hand (token, collection), but for their URIs.

    For example:
      rag copy --from ./.rag --to ./kb.db
      rag copy --from ./.rag --to https://milvus.example.com:19530

    Parameters
    ----------
    source
        URI of the store to copy from; it is only read.
    target
        URI of the store to copy to; it is made where there is none.
    """
    from rag.maintenance.base_copy import copy_base
    from rag.platform.logs import configure_logging

    settings = common.settings()
    configure_logging(**settings.logs.model_dump())
    with progress_for(
        quiet=common.json, work="copy", unit="documents", chunks="chunks"
    ) as progress:
        try:
            report = copy_base(source, target, settings, progress)
        except StoreNotInitialisedError as error:  # the target is made; the source has to be there
            raise StoreNotInitialisedError(
                error.message, given=source, allowed="a base to copy", hint="check --from"
            ) from None
    if common.json:
        print_record(report)
        return 0
    page = Page()
    page.line(
        f"{counted(report.documents, 'document')} in {report.duration_ms / 1000:.1f} s: "
        f"{report.copied} copied, {report.unchanged} there already"
    )
    chunks, vectors = (
        counted(report.chunks_copied, "chunk"),
        counted(report.vectors_copied, "vector"),
    )
    page.line(f"{chunks} with {vectors} of {report.embedder}, read back and found equal")
    if report.only_in_target:
        only = counted(report.only_in_target, "document is", "documents are")
        page.line(f"{only} in the target alone, to stay there")
    return 0
