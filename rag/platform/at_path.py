"""What lies at a path, and where it leads, asked so that no path is too strange."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtPath:
    """What a path leads to, with links followed.

    ``fault`` is why the operating system does not take the path or does not let us look (a name
    too long, a loop of links, a NUL, a folder without permission); None where it does, also if
    nothing is there.
    """

    exists: bool = False
    is_file: bool = False
    is_folder: bool = False
    fault: str | None = None


def at_path(path: str | Path) -> AtPath:
    """Look at a path; never raises, where ``Path.exists`` and its like do for some paths."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116  # takes what pathlib cannot make a path of
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return AtPath()
        return AtPath(fault=error.strerror or str(error))
    except UnicodeEncodeError:
        return AtPath(fault="it holds half of a surrogate pair, which no file name can")
    except ValueError:
        return AtPath(fault="it holds a NUL character, which no file name can")
    return AtPath(exists=True, is_file=stat.S_ISREG(mode), is_folder=stat.S_ISDIR(mode))


def home_path(path: str | Path) -> Path:
    """Return the path with ``~`` replaced; one of a user who does not exist stays as it is."""
    return Path(os.path.expanduser(path))  # noqa: PTH111  # pathlib's raises for such a user


def real_path(path: str | Path) -> Path:
    """Return the absolute path with links followed as far as they lead anywhere.

    For a path that the operating system does not take it is the path itself, made absolute.
    """
    try:
        return Path(os.path.realpath(path))  # pathlib's raises for a loop of links
    except ValueError:
        return Path(path).absolute()
