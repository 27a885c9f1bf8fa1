"""The command line: parses, calls the knowledge base, renders."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line and leave with its exit code."""
    _open_closed_streams()
    if not os.environ.get("COLUMNS", "").strip("0"):
        os.environ.pop("COLUMNS", None)  # a screen of no width is one whose width is not known
    from rag.surfaces.cli.app import run

    argv = sys.argv[1:]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # a terminal or pipe that cannot show a character gets a question mark for it
            stream.reconfigure(errors="replace")
    if isinstance(sys.stdout, TextIOWrapper) and {"--json", "--bulk"} & set(argv):
        sys.stdout.reconfigure(encoding="utf-8")  # what JSON is, whatever the locale
    sys.exit(run(argv))


def _open_closed_streams() -> None:
    """Stand in for standard streams that the caller closed: nothing to read, nowhere to write.

    Else a file opened later would get their descriptor, and what a library says on standard
    error would be written into it.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= 2:  # 0, 1 and 2 are the standard streams
        os.set_inheritable(descriptor, True)
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
