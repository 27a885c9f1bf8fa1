"""Which files a walk leaves out: built-in names, ``.gitignore``, ``.ragignore``, ``exclude``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from rag.errors import InvalidArgumentError

IGNORE_FILES = (".gitignore", ".ragignore")  # in this order: the second has the last word

# Never knowledge: version control, caches, environments, indexes, editors' leavings, lock files.
# An ignore file may take one back with a negated pattern such as !package-lock.json.
_NAMES = frozenset(
    name
    for line in (
        ".git .hg .svn .jj .gitignore .gitattributes .gitmodules .ragignore .rag",
        "node_modules bower_components .venv .tox .nox .eggs .terraform .gradle .next .nuxt",
        "__pycache__ .mypy_cache .ruff_cache .pytest_cache .hypothesis .ipynb_checkpoints .cache",
        ".svelte-kit .parcel-cache .idea .vscode .vs .DS_Store Thumbs.db desktop.ini",
        "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock",
        "pdm.lock Cargo.lock composer.lock Gemfile.lock",
    )
    for name in line.split()
)
_ENDS = (".egg-info", ".min.js", ".min.css", ".map", ".swp", ".swo", "~", ".orig", ".pyc")
_STARTS = (".#", "._")  # Emacs locks, macOS resource forks
_INDEX_FOLDER_ENDS = (".db",)  # a Milvus Lite index is a folder named so


def is_built_in_excluded(name: str, *, is_folder: bool) -> bool:
    """Tell whether a file or folder of this name is left out before any pattern is asked."""
    if name in _NAMES or name.endswith(_ENDS):
        return True
    if is_folder:
        return name.endswith(_INDEX_FOLDER_ENDS)
    # Emacs puts its autosaves between two hashes
    return name.startswith(_STARTS) or (name.startswith("#") and name.endswith("#"))


class IgnoreRules:
    """The patterns of one folder's ignore files, in git's syntax and with git's meaning.

    A walk must ask about every folder before what is in it, and must not enter one left out.

    Args:
        lines: The patterns in file order; of those that match, the last decides.
        base: The folder's path below the walk's root, empty or ending in ``/``.

    Raises:
        ValueError: a line is no pattern.
    """

    def __init__(self, lines: Iterable[str], *, base: str = "") -> None:
        self.base = base
        found = [pattern for line in lines if (pattern := _Pattern.of(line)) is not None]
        self._patterns = tuple(reversed(found))

    @classmethod
    def lenient(cls, lines: Iterable[str], *, base: str = "") -> IgnoreRules:
        """Return the rules of those lines that are patterns; git, too, passes over the others."""
        return cls([line for line in lines if _is_pattern(line)], base=base)

    def decides(self, uri: str, *, is_folder: bool) -> bool | None:
        """Return True to leave ``uri`` out, False to keep it, None where no pattern matches."""
        path = uri[len(self.base) :]
        name = path[path.rfind("/") + 1 :]
        for pattern in self._patterns:
            if pattern.matches(path if pattern.has_path else name, is_folder=is_folder):
                return pattern.leaves_out
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    """One line, compiled by pathspec, applied to a single path as git does.

    pathspec by itself also matches whatever is inside a matching folder; there its own guess of
    which pattern counts goes wrong for lists such as ``*``, ``!*/``, ``!*.md``.
    """

    regex: re.Pattern[str]
    leaves_out: bool
    folders_only: bool
    has_path: bool
    """A slash before the end ties the pattern to its folder; without one any name matches."""

    @classmethod
    def of(cls, line: str) -> _Pattern | None:
        """Return the pattern of a line, None for a comment or an empty line."""
        compiled = next(iter(GitIgnoreSpec.from_lines([line]).patterns), None)
        if compiled is None or compiled.include is None or compiled.regex is None:
            return None
        written = line.rstrip().removeprefix("!")
        return cls(
            regex=compiled.regex,
            leaves_out=compiled.include,
            folders_only=written.endswith("/"),
            has_path="/" in written.rstrip("/"),
        )

    def matches(self, path: str, *, is_folder: bool) -> bool:
        if self.folders_only:
            if not is_folder:
                return False
            path += "/"
        match = self.regex.search(path)
        # pathspec marks with a group the slash of a folder above; the path itself ends there
        return match is not None and all(
            match.end(group) in {-1, len(path)} for group in self.regex.groupindex
        )


def _is_pattern(line: str) -> bool:
    try:
        _Pattern.of(line)
    except ValueError:
        return False
    return True


def exclude_rules(patterns: Sequence[str]) -> IgnoreRules:
    """Return the rules of the ``exclude`` setting.

    Raises:
        InvalidArgumentError: a pattern is not in ``.gitignore`` syntax.
    """
    try:
        return IgnoreRules(patterns)
    except ValueError as error:
        raise InvalidArgumentError(
            f"an exclude pattern is not valid: {error}",
            given=", ".join(patterns),
            allowed="patterns in .gitignore syntax",
        ) from None
