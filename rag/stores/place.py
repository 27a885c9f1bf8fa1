"""Whether a store can be at a path, and what is said where it cannot."""

from __future__ import annotations

from pathlib import Path

from rag.errors import StoreDamagedError, StoreError
from rag.platform.at_path import AtPath, at_path


def look_for_store(path: str | Path) -> AtPath:
    """Look at the path of a store.

    Raises:
        StoreError: the operating system does not take the path, or the engines would not.
    """
    found = at_path(path)
    if found.fault is not None:
        raise unusable_place(str(path), found.fault)
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise unusable_place(str(path), "its name is not UTF-8") from None
    return found


def unusable_place(uri: str, why: str) -> StoreError:
    """Return the error for a store's path that the operating system does not take."""
    return StoreError(
        f"cannot use the store at {uri:.200}: {why}",
        given=uri,
        allowed="the path of a folder that this process may read and write",
        hint="check the path and its permissions, or set store.uri to another one",
    )


def foreign_place(uri: str, found: str, store: str) -> StoreDamagedError:
    """Return the error for a path that holds something else, such as ``a file``.

    Refused before anything is written there, so that no store's files lie among others.
    """
    return StoreDamagedError(
        f"{uri:.200} is {found}; a {store} store is a folder of its own",
        given=uri,
        allowed="a path where there is nothing yet, an empty folder, or one that this program made",
        hint="nothing was changed; choose another store.uri, such as a new folder in this one"
        if "folder" in found
        else "nothing was changed; choose another store.uri, or move the file away",
    )
