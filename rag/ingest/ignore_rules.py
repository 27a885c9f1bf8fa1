"""Which files a walk leaves out: built-in names, ``.gitignore``, ``.ragignore``, ``exclude``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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

    Args:
        lines: The patterns in file order; of those that match, the last decides.
        base: The folder's path below the walk's root, empty or ending in ``/``.
    """

    def __init__(self, lines: Iterable[str], *, base: str = "") -> None:
        self.base = base
        self._spec = GitIgnoreSpec.from_lines(lines)

    @classmethod
    def lenient(cls, lines: Iterable[str], *, base: str = "") -> IgnoreRules:
        """Return the rules of those lines that are patterns; git, too, passes over the others."""
        return cls([line for line in lines if _is_pattern(line)], base=base)

    def decides(self, uri: str, *, is_folder: bool) -> bool | None:
        """Return True to leave ``uri`` out, False to keep it, None where no pattern matches."""
        below = uri[len(self.base) :]
        return self._spec.check_file(f"{below}/" if is_folder else below).include


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
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
