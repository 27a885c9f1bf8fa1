"""Where things are, and how to read the code without running it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "rag"
_COMMITTED_FOLDERS = ("rag", "tests", "docs", "openspec", "devflow", "benchmarks", "examples")
_TEXT_SUFFIXES = {".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".json", ".cfg", ".sh", ".rst"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSite:
    """One import: the file and line it stands on, what it names, and whether it runs late."""

    path: Path
    line: int
    module: str
    names: tuple[str, ...] = ()
    inside_function: bool = False
    typing_only: bool = False

    def where(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def one_a_line(problems: Iterable[object]) -> str:
    """Return what a failing test should print: every problem, uncut."""
    return "\n" + "\n".join(str(problem) for problem in problems)


def python_files(folder: Path = PACKAGE) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def text_files() -> Iterator[Path]:
    """Yield every text file of the repository that belongs to the product."""
    yield from (path for path in sorted(ROOT.glob("*.md")) if path.is_file())
    yield ROOT / "pyproject.toml"
    yield from sorted((ROOT / ".ci").glob("*"))
    for name in _COMMITTED_FOLDERS:
        for path in sorted((ROOT / name).rglob("*")):
            if path.suffix in _TEXT_SUFFIXES and "__pycache__" not in path.parts:
                yield path


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imports_of(path: Path) -> list[ImportSite]:
    """Return every import of a file, also those inside functions and under TYPE_CHECKING."""
    sites: list[ImportSite] = []

    def visit(node: ast.AST, *, inside: bool, typing_only: bool) -> None:
        for child in ast.iter_child_nodes(node):
            late = inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            typed = typing_only or (isinstance(child, ast.If) and _is_type_checking(child.test))
            common: dict[str, Any] = {
                "path": path,
                "line": getattr(child, "lineno", 0),
                "inside_function": inside,
                "typing_only": typing_only,
            }
            if isinstance(child, ast.Import):
                sites.extend(ImportSite(module=alias.name, **common) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                names = tuple(alias.name for alias in child.names)
                module = "." * child.level + (child.module or "")
                sites.append(ImportSite(module=module, names=names, **common))
            visit(child, inside=late, typing_only=typed)

    visit(parsed(path), inside=False, typing_only=False)
    return sites


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def fenced_block_after(page: Path, sentence: str) -> str:
    """Return the first fenced block that follows ``sentence`` on a documentation page."""
    text = page.read_text(encoding="utf-8")
    assert sentence in text, f"{page.relative_to(ROOT)} no longer says: {sentence}"
    match = re.search(r"^```\w*\n(.*?)^```", text.split(sentence, 1)[1], re.DOTALL | re.MULTILINE)
    assert match, f"no fenced block after {sentence!r} in {page.relative_to(ROOT)}"
    return match.group(1)


def table_rows(page: Path, heading: str) -> list[tuple[str, ...]]:
    """Return the body rows of the first table under a heading, cells stripped."""
    text = page.read_text(encoding="utf-8")
    assert f"\n{heading}\n" in text, f"{page.relative_to(ROOT)} has no heading {heading!r}"
    rows: list[tuple[str, ...]] = []
    for line in text.split(f"\n{heading}\n", 1)[1].splitlines():
        if line.startswith("|"):
            rows.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
        elif rows:
            break
    return rows[2:]  # the head and the rule under it


def project_metadata() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project


def distribution_name(requirement: str) -> str:
    """Return the name in a requirement: ``rag-evidence`` for ``rag-evidence[bpe]>=1``."""
    return re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]
