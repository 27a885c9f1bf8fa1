"""The server that Milvus Lite runs inside this process for a folder."""

from __future__ import annotations

import logging
from pathlib import Path

from rag.errors import MissingExtraError, StoreDamagedError, StoreLockedError
from rag.stores.milvus.errors import tame_logging
from rag.stores.place import foreign_place, unusable_place

LITE_FOLDER = "collections"  # what every Milvus Lite folder holds from its first opening


def folder_at(path: str) -> tuple[int, int] | None:
    """Return what tells a folder from a later one at its path; None where there is none."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def refuse_foreign(path: Path, uri: str) -> None:
    """Refuse what is no Milvus Lite folder, before Milvus Lite puts its own files into it."""
    if path.is_file():
        found = "a file (of an older Milvus Lite, or of another program)"
    elif path.is_dir() and any(path.iterdir()) and not (path / LITE_FOLDER).is_dir():
        found = "a folder with other files"
    else:
        return
    raise foreign_place(uri, found, "Milvus Lite")


class _StartFailure(logging.Filter):
    """Catches the reason that Milvus Lite's server manager logs and then swallows."""

    def __init__(self) -> None:
        super().__init__()
        self.error: BaseException | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1] is not None:
            self.error = record.exc_info[1]
            return False
        return True


def start_lite(path: Path, uri: str) -> tuple[str, bool]:
    """Return the port's URI, and whether we started it and so are to stop it."""
    try:
        # here and not above: a server needs only pymilvus, and Lite costs 0.2 s to load
        from milvus_lite.exceptions import DataDirLockedError
        from milvus_lite.server_manager import server_manager_instance
    except ImportError:
        raise MissingExtraError(
            f"{uri} is a Milvus Lite path, and milvus-lite is not installed",
            given=uri,
            hint="pip install milvus-lite",
        ) from None
    tame_logging()  # milvus_lite made its loggers only now
    logger = logging.getLogger("milvus_lite.server_manager")
    caught = _StartFailure()
    logger.addFilter(caught)
    # a plain pymilvus client of this process may have the folder open, and would lose it
    running = str(path) in getattr(server_manager_instance, "_servers", {})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        started = server_manager_instance.start_and_get_uri(str(path))
    except OSError as error:
        raise unusable_place(uri, error.strerror or str(error)) from error
    finally:
        logger.removeFilter(caught)
    if started is not None:
        return str(started), not running
    if isinstance(caught.error, DataDirLockedError):
        raise StoreLockedError(
            f"another process has {uri} open; Milvus Lite serves one process at a time",
            given=uri,
            hint="wait until it ends; for several processes at once use the local store, "
            "or run a Milvus server and set store.uri to its address",
        ) from caught.error
    if isinstance(caught.error, OSError):
        raise unusable_place(uri, str(caught.error)) from caught.error
    raise StoreDamagedError(
        f"the store at {uri} cannot be opened: {caught.error}",
        given=uri,
        hint="nothing was changed; restore the folder from a backup, "
        "or ingest again under another store.uri",
    ) from caught.error


def stop_lite(path: str, *, write: bool = True) -> None:
    """Stop the server of a path; without ``write`` it leaves what now stands there as it is."""
    from milvus_lite.server_manager import server_manager_instance  # as above

    if not write:
        running = getattr(server_manager_instance, "_servers", {}).get(path)
        database = running[1] if running else None
        getattr(database, "_collections", {}).clear()  # what is not known is not flushed
    server_manager_instance.release_server(path)
