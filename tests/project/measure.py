"""Prints the size and shape of the package: ``python -m tests.project.measure``.

Depth is the number of modules on the longest chain of imports that run at load time; imports
under ``TYPE_CHECKING`` and inside functions are not on it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from tests.project.repository import PACKAGE, ROOT, imports_of, python_files


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph() -> dict[str, set[str]]:
    """Return the modules that each module of the package imports when it is loaded."""
    modules = {module_name(path) for path in python_files()}
    graph: dict[str, set[str]] = {}
    for path in python_files():
        imported: set[str] = set()
        for site in imports_of(path):
            if site.inside_function or site.typing_only:
                continue
            names = {f"{site.module}.{name}" for name in site.names} & modules
            imported |= names or ({site.module} & modules)
        graph[module_name(path)] = imported - {module_name(path)}
    return graph


def import_depth(graph: dict[str, set[str]]) -> int:
    """Return the length, in modules, of the longest chain; raises RecursionError on a cycle."""

    @cache
    def depth(module: str) -> int:
        return 1 + max((depth(imported) for imported in graph[module]), default=0)

    return max(depth(module) for module in graph)


def import_cycles(graph: dict[str, set[str]]) -> list[str]:
    """Return the modules that import themselves by way of others."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        ahead = list(graph[start])
        while ahead:
            module = ahead.pop()
            if module not in seen:
                seen.add(module)
                ahead.extend(graph[module])
        return seen

    return sorted(module for module in graph if module in reached(module))


def measures() -> dict[str, int]:
    graph = import_graph()
    cycles = import_cycles(graph)
    files = python_files()
    return {
        "modules": len(files),
        "lines": sum(len(path.read_text("utf-8").splitlines()) for path in files),
        "lines_of_the_longest_module": max(len(p.read_text("utf-8").splitlines()) for p in files),
        "import_depth": 0 if cycles else import_depth(graph),
        "imports_inside_functions": sum(s.inside_function for p in files for s in imports_of(p)),
        "modules_on_cycles": len(cycles),
        "rooms": len({path.relative_to(PACKAGE).parts[0] for path in files}) - 2,
    }


if __name__ == "__main__":
    print(json.dumps(measures(), indent=2))  # noqa: T201 - a report
