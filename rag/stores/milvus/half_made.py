"""Folders that Milvus Lite began to make and did not finish: a full disk, a kill."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

# Of its schema's two files the first is written and then renamed to ``schema.json``, before
# anything else; a folder with no more than the first was never a collection.
_BEGUN: Final = frozenset({"schema.json.tmp"})


def clear_half_made(store: Path, names: Iterable[str]) -> None:
    """Remove the folders of collections that were begun and never made.

    Milvus Lite does not list them, and refuses to make a collection where one stands. Nothing
    that holds a schema or any data is touched.
    """
    for name in names:
        folder = store / "collections" / name
        if folder.is_dir() and {entry.name for entry in folder.iterdir()} <= _BEGUN:
            shutil.rmtree(folder)
