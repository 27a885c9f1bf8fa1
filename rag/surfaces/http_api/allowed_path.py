"""Which paths of its machine a service reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rag.errors import ForbiddenError, InvalidArgumentError, PathNotFoundError
from rag.platform.at_path import home_path, real_path


def allowed_path(given: str, roots: Sequence[Path]) -> Path:
    """Return a path with all links followed, if it lies in or below one of ``roots``.

    A relative path starts at the first root. Whether a path outside them exists is not told.

    Raises:
        ForbiddenError: it lies outside, or there are no roots.
        PathNotFoundError: there is nothing.
        InvalidArgumentError: it is no path.
    """
    folders = [real_path(home_path(root)) for root in roots]
    try:
        path = (folders[0] / given if folders else Path(given)).resolve()
        inside = any(path.is_relative_to(folder) for folder in folders)
        there = inside and path.exists()
    except (ValueError, OSError, RuntimeError):  # a NUL, a name too long, a loop of links
        raise InvalidArgumentError(
            f"{given!r:.80} is no path", given=given, allowed="the path of a file or folder"
        ) from None
    if not inside:
        raise ForbiddenError(
            f"{given!r:.200} lies outside the folders that this service may read",
            given=given,
            allowed="a path below one of server.ingest_roots",
            hint="upload the file, or have its folder added to server.ingest_roots",
        )
    if not there:
        raise PathNotFoundError(
            f"there is nothing at {given!r:.200}",
            given=given,
            allowed="the path of an existing file or folder",
        )
    return path
