"""``rag watch``."""

from __future__ import annotations

import signal
from pathlib import Path
from threading import Event

from rag.errors import InvalidArgumentError, PathNotFoundError, ReadonlyError
from rag.platform.at_path import at_path
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import note, shown


def watch_command(
    folder: Path,
    /,
    *,
    source: str | None = None,
    tenant: str = "",
    tag: tuple[str, ...] = (),
    trust: str = "primary",
    source_type: str = "document",
    quiet: float = 0.3,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Keep the base in line with a folder until it is stopped.

    Reads the folder once as `rag ingest` does, then again after every change. A file that cannot
    be read, or a store that another process holds, is told and tried again. Ctrl-C ends it.

    For example:
      rag watch docs/
      rag watch wiki/ --source wiki --trust secondary
      rag watch docs/ --json >> changes.jsonl

    Parameters
    ----------
    folder
        Folder to watch.
    source
        Name of this origin of documents; default: "default".
    tenant
        Tenant that the documents belong to.
    tag
        Tag put on every document; repeat for several.
    trust
        How much they are trusted: primary, secondary or generated.
    source_type
        What kind of source this is, such as document or note.
    quiet
        Seconds without a change before files are read.
    """
    from rag.assembly import is_server, open_base
    from rag.embedding import default_cache_path
    from rag.platform.logs import configure_logging
    from rag.surfaces.shared_base import SharedBase
    from rag.surfaces.watch.folder_watcher import FolderWatcher
    from rag.surfaces.watch.plain_lines import PlainLines

    settings = common.settings()
    configure_logging(**settings.logs.model_dump())
    if settings.readonly:
        raise ReadonlyError("cannot watch: this base is read-only", given="watch")
    if not at_path(folder).is_folder:
        raise PathNotFoundError(
            f"no folder at {folder}", given=str(folder), allowed="the path of an existing folder"
        )
    if not 0 < quiet <= 3600:
        raise InvalidArgumentError(
            f"--quiet must be more than 0 and at most 3,600 seconds; got {quiet:g}",
            given=quiet,
            allowed="more than 0, at most 3,600",
        )
    shared = SharedBase(lambda create: open_base(settings, create=create))
    cache = settings.embedding.cache_path or default_cache_path()
    own = [cache] if is_server(settings.store.uri) else [cache, Path(settings.store.uri)]
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stop.set())
    watcher = FolderWatcher(
        folder,
        lambda progress: shared.get(create=True).ingest(
            folder,
            source=source,
            tenant=tenant,
            tags=tag,
            trust=trust,
            source_type=source_type,
            progress=progress,
        ),
        PlainLines(as_json=common.json),
        keep_out=own,
        quiet_s=quiet,
    )
    note(f"watching {shown(str(folder))}; Ctrl-C ends it")
    try:
        watcher.run(stop)
    finally:
        shared.close()
    note("stopped; what was read is kept")
    return 0
