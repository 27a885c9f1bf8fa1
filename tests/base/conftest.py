"""Bases of one's own, on both stores, without a model to load."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import rag
from rag.base.knowledge_base import KnowledgeBase

OpenBase = Callable[..., KnowledgeBase]


@pytest.fixture(autouse=True)
def quiet_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, an own cache, and no settings from outside."""
    for name in [name for name in os.environ if name.startswith("RAG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def open_base(tmp_path: Path) -> Iterator[OpenBase]:
    """Opens a base at a place below the test's folder, with settings by section."""
    with ExitStack() as stack:

        def opened(place: str = "base", **sections: dict[str, Any]) -> KnowledgeBase:
            settings = rag.load_settings(
                **{
                    "embedding": {"embedder": "hashing"},
                    **sections,
                    "store": {"uri": str(tmp_path / place)},
                }
            )
            return stack.enter_context(rag.open(settings))

        yield opened


@pytest.fixture(params=["base", "base.db"], ids=["local", "milvus"])
def base(request: pytest.FixtureRequest, open_base: OpenBase) -> KnowledgeBase:
    """An empty base, once on each store."""
    return open_base(request.param)


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    """A folder of four pages, two of them with the same text."""
    folder = tmp_path / "garden"
    (folder / "beds").mkdir(parents=True)
    for path, text in {
        "peas.md": "# Peas\n\nSow peas in March.\n\n## Harvest\n\nPick them in June.\n",
        "beans.md": "# Beans\n\nBeans climb up poles.\n",
        "beds/one.md": "# Bed\n\nTwin beds hold lettuce.\n",
        "beds/two.md": "# Bed\n\nTwin beds hold lettuce.\n",
    }.items():
        (folder / path).write_text(text, "utf-8")
    return folder
