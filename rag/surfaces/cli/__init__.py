"""The command line: parses, calls the knowledge base, renders."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from rag.surfaces.cli.app import run

    sys.exit(run(sys.argv[1:]))
