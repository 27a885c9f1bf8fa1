"""A quiet place to run commands in, and a small base to run them on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import rag
from rag.samples import handbook_path
from tests.surfaces.cli.command_line import CommandLine


@pytest.fixture(autouse=True)
def quiet_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, an own cache, no settings from outside, and no model to load."""
    for name in [name for name in os.environ if name.startswith("RAG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RAG_EMBEDDING__EMBEDDER", "hashing")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs commands on the store of the settings."""
    return CommandLine(capsys, monkeypatch)


@pytest.fixture(scope="session")
def shelf_uri(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample handbook in a base that tests only read: 8 documents in three languages."""
    folder = tmp_path_factory.mktemp("shelf")
    handbook = folder / "handbook"
    shutil.copytree(handbook_path(), handbook, ignore=shutil.ignore_patterns("__*__*"))
    settings = rag.load_settings(
        store={"uri": str(folder / "base")},
        embedding={"embedder": "hashing", "cache": False},
    )
    with rag.open(settings) as base:
        base.ingest(handbook, tags=["handbook"])
    return folder / "base"


@pytest.fixture
def shelf(cli: CommandLine, shelf_uri: Path) -> CommandLine:
    """Runs commands on the handbook."""
    return cli.at(shelf_uri)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of two short notes, to be changed at will."""
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "tea.md").write_text("# Tea\n\nGreen tea steeps for two minutes.\n", "utf-8")
    (folder / "deep" / "bread.md").write_text("# Bread\n\nRye rises slowly.\n", "utf-8")
    return folder
