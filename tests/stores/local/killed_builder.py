"""Builds the vector index of a base and dies by SIGKILL at the step that is named.

Run as ``python -m tests.stores.local.killed_builder FOLDER LIMIT STEP`` with STEP one of
``copy``, ``train``, ``measure`` (begun), ``recorded`` (the old build not yet removed).
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from rag.stores.local.vector_index import VectorIndex
from tests.stores.local.opening import local_store


def die(*_: object) -> None:
    """Die as by kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: Path, limit: int, step: str) -> None:
    """Build and die."""
    store = local_store(folder, exact_limit=limit)
    if step == "recorded":
        VectorIndex._remove_all_but = die
    store.build_index(lambda at, done, total: die() if at == step else None, force=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
