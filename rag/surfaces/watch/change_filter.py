"""Which changes of files can change what is known."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from watchfiles import Change

from rag.ingest.ignore_rules import IGNORE_FILES, is_built_in_excluded
from rag.ingest.readers import ReaderRegistry
from rag.platform.at_path import real_path


class ChangeFilter:
    """Tells a change worth an ingest from one that is not.

    Worth one are files that some reader knows, ignore files, and folders; something deleted may
    have been a folder. Never worth one is what no walk reads, nor what an ingest itself writes:
    a base inside the folder that it watches would never come to rest.

    Args:
        folder: What is watched; absolute, with links followed.
        keep_out: The base's own files and folders; what lies beside one under a longer form of
            its name, such as a lock file, is its own too unless a reader knows it.
    """

    def __init__(self, folder: Path, *, keep_out: Iterable[Path] = ()) -> None:
        self._folder = folder
        self._keep_out = tuple(real_path(path) for path in keep_out)
        self._readers = ReaderRegistry()

    def __call__(self, change: Change, changed: str) -> bool:
        """Whether an ingest may find something new after this change."""
        path = Path(changed)
        if any(path.is_relative_to(own) for own in self._keep_out):
            return False
        if not path.is_relative_to(self._folder) or path == self._folder:
            return False
        *folders, name = path.relative_to(self._folder).parts
        if any(is_built_in_excluded(one, is_folder=True) for one in folders):
            return False
        if name in IGNORE_FILES:
            return True
        is_folder = path.is_dir()
        if is_built_in_excluded(name, is_folder=is_folder):
            return False
        if self._readers.supports(name):
            return True
        if any(changed.startswith(str(own)) for own in self._keep_out):
            return False
        return is_folder or change is Change.deleted
