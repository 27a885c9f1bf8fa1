"""A place for one local store, and what opens it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.stores.local import LocalKnowledgeStore
from tests.stores.local.opening import OpenLocal, local_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a path at which there is nothing yet."""
    return tmp_path / "base"


@pytest.fixture
def open_local(folder: Path) -> Iterator[OpenLocal]:
    """Return what opens the store at ``folder``; every one of them is closed at the end."""
    opened: list[LocalKnowledgeStore] = []

    def open_store(**options: object) -> LocalKnowledgeStore:
        opened.append(local_store(folder, **options))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def store(open_local: OpenLocal) -> LocalKnowledgeStore:
    """Return an empty store."""
    return open_local()
