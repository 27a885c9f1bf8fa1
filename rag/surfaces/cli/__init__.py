"""The command line: parses, calls the knowledge base, renders."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line and leave with its exit code."""
    from rag.surfaces.cli.app import run

    argv = sys.argv[1:]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # a terminal or pipe that cannot show a character gets a question mark for it
            stream.reconfigure(errors="replace")
    if isinstance(sys.stdout, TextIOWrapper) and {"--json", "--bulk"} & set(argv):
        sys.stdout.reconfigure(encoding="utf-8")  # what JSON is, whatever the locale
    sys.exit(run(argv))
