"""Finds the files below a folder, in order, leaving out what is not knowledge."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.errors import PathNotFoundError, UnreadableFileError
from rag.ingest.ignore_rules import (
    IGNORE_FILES,
    IgnoreRules,
    exclude_rules,
    is_built_in_excluded,
)
from rag.ingest.readers.registry import ReaderRegistry
from rag.ingest.records import FoundFile, SkippedFile, SkipReason
from rag.platform.at_path import at_path


def walk_folder(
    root: Path,
    *,
    max_file_bytes: int,
    exclude: Sequence[str] = (),
    follow_symlinks: bool = False,
    readers: ReaderRegistry | None = None,
) -> Iterator[FoundFile | SkippedFile]:
    """Yield what lies below ``root`` (or ``root`` itself, a file) in ascending order of uri.

    ``.gitignore`` and ``.ragignore`` hold in every folder below ``root``, as in git: the nearest
    file decides, its last matching pattern first, and nothing inside an ignored folder comes
    back. Between the two, ``.ragignore`` has the last word; ``exclude`` stands above both; a set
    of built-in names (``.git``, ``node_modules``, lock files, indexes …) stands below and is left
    out without a word. A file given as ``root`` is taken whatever the patterns say.

    With ``follow_symlinks`` links are read, each real folder once; else they are skipped.
    A folder that cannot be listed is a ``SkippedFile`` whose uri ends in ``/``: what an earlier
    run found there is not gone.

    Raises:
        PathNotFoundError: there is nothing at ``root``.
        UnreadableFileError: ``root`` is a folder that cannot be listed.
        InvalidArgumentError: an ``exclude`` pattern is not valid.
    """
    walk = _Walk(
        exclude=exclude_rules(exclude) if exclude else None,
        max_file_bytes=max_file_bytes,
        follow_symlinks=follow_symlinks,
        readers=readers or ReaderRegistry(),
    )
    try:
        info = root.stat()
    except (OSError, ValueError) as error:  # a ValueError is of what no file name can hold
        why = getattr(error, "strerror", None) or at_path(root).fault
        raise PathNotFoundError(
            f"no file or folder at {root}: {why}",
            given=str(root),
            allowed="the path of an existing file or folder",
            hint="check the path; relative paths start at the current folder",
        ) from None
    if not stat.S_ISDIR(info.st_mode):
        return iter((walk.file(root, unicodedata.normalize("NFC", root.name), info),))
    try:
        entries = _listed(root)
    except OSError as error:
        raise UnreadableFileError(
            f"cannot list the folder {root}: {error.strerror}",
            given=str(root),
            hint="check its permissions",
        ) from None
    return walk.run(_Folder(path=root, uri="", rules=()), entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    path: Path
    uri: str
    rules: tuple[IgnoreRules, ...]
    """Nearest folder first."""


class _Walk:
    def __init__(
        self,
        *,
        exclude: IgnoreRules | None,
        max_file_bytes: int,
        follow_symlinks: bool,
        readers: ReaderRegistry,
    ) -> None:
        self._seen: set[tuple[int, int]] = set()
        self._exclude = exclude
        self._max_file_bytes = max_file_bytes
        self._follow = follow_symlinks
        self._readers = readers

    def run(
        self, folder: _Folder, entries: list[os.DirEntry[str]]
    ) -> Iterator[FoundFile | SkippedFile]:
        self._was_seen(folder.path)
        # A stack in place of recursion: folders may be nested deeper than Python's calls.
        stack = [iter(self._inside(folder, entries))]
        while stack:
            item = next(stack[-1], None)
            if item is None:
                stack.pop()
            elif not isinstance(item, _Folder):
                yield item
            else:
                try:
                    if self._was_seen(item.path):
                        yield SkippedFile(
                            uri=item.uri,
                            reason=SkipReason.IGNORED,
                            detail="a folder that was read already",
                        )
                        continue
                    listed = _listed(item.path)
                except FileNotFoundError:
                    continue  # deleted since its parent was listed
                except OSError as error:
                    yield _unreadable(item.uri, error)
                else:
                    stack.append(iter(self._inside(item, listed)))

    def _inside(
        self, folder: _Folder, entries: list[os.DirEntry[str]]
    ) -> list[FoundFile | SkippedFile | _Folder]:
        rules = folder.rules
        own, problems = _own_rules(folder.uri, entries)
        if own is not None:
            rules = (own, *rules)
        items: dict[str, FoundFile | SkippedFile | _Folder] = {}
        for entry in entries:
            name = entry.name
            if not name.isascii():
                if not _is_utf8(name):
                    shown = name.encode("utf-8", "surrogateescape").decode(
                        "utf-8", "backslashreplace"
                    )
                    items[folder.uri + shown] = SkippedFile(
                        uri=folder.uri + shown,
                        reason=SkipReason.UNREADABLE,
                        detail="the file name is not UTF-8; rename it",
                    )
                    continue
                name = unicodedata.normalize("NFC", name)
            is_folder = _is_folder(entry, self._follow)
            uri = f"{folder.uri}{name}/" if is_folder else folder.uri + name
            item = self._item(entry, folder.uri + name, rules, is_folder=is_folder)
            if item is None:
                continue
            if uri in items:  # two names, one uri: they differ in their Unicode form alone
                item = SkippedFile(
                    uri=uri,
                    reason=SkipReason.UNREADABLE,
                    detail="another file has the same name in another Unicode form; rename one",
                )
                uri += "\0"
            items[uri] = item
        return [*problems, *(items[uri] for uri in sorted(items))]

    def _item(
        self, entry: os.DirEntry[str], uri: str, rules: tuple[IgnoreRules, ...], *, is_folder: bool
    ) -> FoundFile | SkippedFile | _Folder | None:
        decided = None
        for rule in rules if self._exclude is None else (self._exclude, *rules):
            decided = rule.decides(uri, is_folder=is_folder)
            if decided is not None:
                break
        shown = f"{uri}/" if is_folder else uri
        if decided:
            return SkippedFile(uri=shown, reason=SkipReason.IGNORED)
        name = uri[uri.rfind("/") + 1 :]
        if decided is None and is_built_in_excluded(name, is_folder=is_folder):
            return None
        try:
            if entry.is_symlink() and not self._follow:
                return SkippedFile(
                    uri=uri, reason=SkipReason.IGNORED, detail="a link; follow_symlinks is off"
                )
            if is_folder:
                return _Folder(path=Path(entry.path), uri=shown, rules=rules)
            if not entry.is_symlink() and not self._readers.supports(uri):
                return _unsupported(uri)
            return self.file(Path(entry.path), uri, entry.stat())
        except FileNotFoundError as error:
            return _unreadable(uri, error) if entry.is_symlink() else None
        except OSError as error:
            return _unreadable(shown, error)

    def _was_seen(self, path: Path) -> bool:
        if not self._follow:  # without links no folder can be met twice
            return False
        info = path.stat()
        key = (info.st_dev, info.st_ino)
        if key in self._seen:
            return True
        self._seen.add(key)
        return False

    def file(self, path: Path, uri: str, info: os.stat_result) -> FoundFile | SkippedFile:
        if not stat.S_ISREG(info.st_mode):
            return SkippedFile(
                uri=uri, reason=SkipReason.UNSUPPORTED, detail="a device, pipe or socket"
            )
        if not self._readers.supports(uri):
            return _unsupported(uri)
        if info.st_size > self._max_file_bytes:
            return SkippedFile(
                uri=uri,
                reason=SkipReason.TOO_LARGE,
                detail=f"{info.st_size} bytes; at most {self._max_file_bytes}",
            )
        return FoundFile(path=path, uri=uri, size=info.st_size, modified_ns=info.st_mtime_ns)


def _listed(path: Path) -> list[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        return list(entries)


def _is_folder(entry: os.DirEntry[str], follow: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _own_rules(
    base: str, entries: list[os.DirEntry[str]]
) -> tuple[IgnoreRules | None, list[SkippedFile]]:
    """Return the rules of a folder's ignore files, and those that could not be read."""
    by_name = {entry.name: entry for entry in entries if entry.name in IGNORE_FILES}
    lines: list[str] = []
    problems = []
    for name in IGNORE_FILES:
        entry = by_name.get(name)
        try:
            if entry is not None and entry.is_file():
                text = Path(entry.path).read_text("utf-8-sig", "replace")
                lines.extend(unicodedata.normalize("NFC", text).splitlines())
        except OSError as error:
            problems.append(_unreadable(base + name, error))
    return (IgnoreRules.lenient(lines, base=base) if lines else None), problems


def _unsupported(uri: str) -> SkippedFile:
    return SkippedFile(uri=uri, reason=SkipReason.UNSUPPORTED)


def _unreadable(uri: str, error: OSError) -> SkippedFile:
    return SkippedFile(uri=uri, reason=SkipReason.UNREADABLE, detail=error.strerror or str(error))
