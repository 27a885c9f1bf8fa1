"""What every benchmark is told on its command line."""

from __future__ import annotations

import argparse
from pathlib import Path


def benchmark_parser(
    doc: str | None, folder: str = "datasets", *, nargs: str | None = None
) -> argparse.ArgumentParser:
    """Return a parser that shows a module's docstring, and takes a folder under this name.

    ``datasets`` is the folder of all test collections, ``collection`` that of one.
    """
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(folder, type=Path, nargs=nargs)
    return parser
