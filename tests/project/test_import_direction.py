"""Rooms import leftward only.

The order is read from the line on docs/architecture.md that draws it, so the page and this test
cannot disagree.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.project.measure import import_cycles, import_graph
from tests.project.repository import (
    PACKAGE,
    ROOT,
    ImportSite,
    fenced_block_after,
    imports_of,
    one_a_line,
    python_files,
    table_rows,
)

ARCHITECTURE = ROOT / "docs" / "architecture.md"
THE_FRONT_DOOR = "rag itself"
FRONT_DOOR_FILES = {"__init__.py", "__main__.py"}  # rag/__init__ names everything, but only lazily

# Imports inside a function, by file: each with the reason that lifts the rule.
LATE_IMPORTS = {
    "rag/__init__.py": "exports are lazy, so that `import rag` loads no engine",
    "rag/assembly/*.py": "names every concrete store and model, and loads the chosen ones only",
    "rag/platform/logs.py": "structlog takes 0.1 s, and a run that logs nothing need not pay it",
    "rag/stores/milvus/lite_server.py": "a server's URI must not load Milvus Lite, nor need it",
    "rag/surfaces/cli/*.py": "`rag --help` must load the command-line library and nothing else",
}


def _rank_of_rooms() -> dict[str, int]:
    line = fenced_block_after(ARCHITECTURE, "Imports point from right to left only").strip()
    ranks: dict[str, int] = {}
    for place, room in enumerate(re.split(r"\s*(?:→|│|\s)\s*", line.replace(", ", "+"))):
        ranks.update(dict.fromkeys(room.split("+"), place))
    return ranks


RANKS = _rank_of_rooms()


def _room(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    return inside.parts[0].removesuffix(".py")


def _imported_rooms(site: ImportSite) -> list[str]:
    parts = site.module.split(".")
    if parts[0] != "rag":
        return []
    if len(parts) > 1:
        return [parts[1]]
    names = set(site.names or [THE_FRONT_DOOR]) - {"__version__"}  # a constant, free to all
    return sorted(name if name in RANKS else THE_FRONT_DOOR for name in names)


def _sites() -> list[ImportSite]:
    return [site for path in python_files() for site in imports_of(path)]


def _is_front_door(path: Path) -> bool:
    return path.parent == PACKAGE and path.name in FRONT_DOOR_FILES


def test_the_order_of_rooms_names_every_room_of_the_package_and_no_other():
    there = {_room(path) for path in python_files() if not _is_front_door(path)}
    assert set(RANKS) == there


def test_rooms_import_only_from_rooms_to_their_left():
    outermost = max(RANKS.values())
    wrong = []
    for site in _sites():
        if _is_front_door(site.path):
            continue
        own = _room(site.path)
        for room in _imported_rooms(site):
            if room == THE_FRONT_DOOR:
                allowed = RANKS[own] == outermost  # surfaces use the package as its users do
            else:
                allowed = room == own or RANKS.get(room, outermost) < RANKS[own]
            if not allowed:
                wrong.append(f"{site.where()}: {own} imports {room}")
    assert wrong == [], one_a_line(wrong)


def test_imports_are_absolute():
    wrong = [site.where() for site in _sites() if site.module.startswith(".")]
    assert wrong == [], one_a_line(wrong)


def test_imports_stand_at_the_top_of_the_file():
    """In-function imports hide cycles and cost; the few files that need them say why above."""
    wrong = [
        f"{site.where()}: {site.module}"
        for site in _sites()
        if site.inside_function
        and not any(fnmatch(str(site.path.relative_to(ROOT)), glob) for glob in LATE_IMPORTS)
    ]
    assert wrong == [], one_a_line(wrong)


@pytest.mark.parametrize("glob", LATE_IMPORTS)
def test_every_exception_to_the_late_import_rule_is_still_needed(glob: str):
    assert any(
        site.inside_function and fnmatch(str(site.path.relative_to(ROOT)), glob)
        for site in _sites()
    )


def test_libraries_enter_by_the_doors_that_the_dependencies_page_names():
    """The column "used in" of docs/dependencies.md is the rule; it keeps engines at the edges."""
    doors: dict[str, list[str]] = {}
    for heading in ("## Base dependencies", "## Extras"):
        for row in table_rows(ROOT / "docs" / "dependencies.md", heading):
            module, used_in = row[1].strip("`"), row[2]
            doors[module] = re.findall(r"`([^`]+)`", used_in) or ["rag/**"]
    wrong = []
    for site in _sites():
        where = site.path.relative_to(ROOT).as_posix()
        for module, globs in doors.items():
            if site.module.split(".")[0] == module and not any(_passes(where, g) for g in globs):
                wrong.append(f"{site.where()} imports {module}, which enters by {globs}")
    assert wrong == [], one_a_line(wrong)


def _passes(path: str, glob: str) -> bool:
    return path.startswith(glob.removesuffix("**")) if glob.endswith("**") else fnmatch(path, glob)


def test_no_module_imports_itself_by_way_of_others():
    assert import_cycles(import_graph()) == []
