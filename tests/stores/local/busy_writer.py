"""Writes generation after generation of the same documents until its standard input closes.

Run as ``python -m tests.stores.local.busy_writer FOLDER``; prints a line when it has begun.
"""

from __future__ import annotations

import select
import sys
from pathlib import Path

from rag.testing.store_contract_parts.corpus import document
from tests.stores.local.opening import local_store

DOCUMENTS = 5
CHUNKS = 6
LEAST = 2  # else a loaded machine may give a writer one turn before it is stopped


def main(folder: Path) -> None:
    """Write until told to stop, and twice in any case."""
    store = local_store(folder)
    generation = 0
    while generation < LEAST or not select.select([sys.stdin], [], [], 0)[0]:
        generation += 1
        store.write_documents(
            [
                document(
                    f"{n}.md",
                    *(f"magpie generation{generation} document{n} part{p}" for p in range(CHUNKS)),
                    generation=generation,
                )
                for n in range(DOCUMENTS)
            ]
        )
        if generation == 1:
            print("begun", flush=True)  # noqa: T201  # how the test hears of it
    store.close()
    print(generation, flush=True)  # noqa: T201  # likewise


if __name__ == "__main__":
    main(Path(sys.argv[1]))
