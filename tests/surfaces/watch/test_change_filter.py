"""Which changes wake the watcher."""

from __future__ import annotations

from pathlib import Path

import pytest
from watchfiles import Change

from rag.surfaces.watch.change_filter import ChangeFilter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("docs/guide", "docs/.git", "docs/kb"):
        (tmp_path / name).mkdir(parents=True)
    return (tmp_path / "docs").resolve()


@pytest.mark.parametrize(
    ("change", "name", "wakes"),
    [
        (Change.modified, "a.md", True),
        (Change.added, "guide/b.pdf", True),
        (Change.deleted, "guide/b.pdf", True),
        (Change.added, "guide", True),  # a folder that was moved in
        (Change.deleted, "gone", True),  # it may have been a folder
        (Change.modified, ".gitignore", True),
        (Change.modified, "guide/.ragignore", True),
        (Change.modified, "picture.png", False),
        (Change.modified, "data.bin", False),
        (Change.modified, ".git/index", False),
        (Change.added, ".git", False),
        (Change.modified, "guide/.a.md.swp", False),
        (Change.modified, "node_modules/x/readme.md", False),
        (Change.modified, "kb/rag.sqlite", False),
        (Change.deleted, "kb/rag.sqlite-wal", False),
        (Change.deleted, "kb.lock", False),  # beside the base, and named after it
        (Change.modified, "kb-notes.md", True),  # named like the base, and a reader knows it
        (Change.modified, "", False),
    ],
)
def test_a_change_wakes_the_watcher_only_if_a_run_may_find_something(
    folder: Path, change: Change, name: str, wakes: bool
):
    wanted = ChangeFilter(folder, keep_out=[folder / "kb"])
    assert wanted(change, str(folder / name)) is wakes
