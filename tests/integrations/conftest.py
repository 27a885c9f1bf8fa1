"""A base of the sample handbook without a model, and no telemetry of the frameworks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import rag
from rag.base.knowledge_base import KnowledgeBase
from rag.samples import handbook_path

# Haystack reads it at its first import, LangSmith at each run.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["LANGSMITH_TRACING"] = "false"

CONFIG = '[store]\nuri = "kb"\n\n[embedding]\nembedder = "hashing"\n'


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base in ``kb`` and the ``rag.toml`` that opens it."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "rag.toml").write_text(CONFIG, "utf-8")
    settings = rag.load_settings(
        store={"uri": str(folder / "kb")}, embedding={"embedder": "hashing"}
    )
    with rag.open(settings) as base:
        base.ingest(handbook_path())
    return folder


@pytest.fixture
def base(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KnowledgeBase]:
    """The base, open; the working folder is its place."""
    monkeypatch.chdir(place)
    with rag.open() as opened:
        yield opened
