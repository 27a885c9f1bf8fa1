"""Nothing unfinished, nothing hidden, nothing that only makes sense where it was written."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.project.repository import PACKAGE, ROOT, one_a_line, parsed, python_files, text_files

# The patterns are spelt so that this file does not hold what it looks for.
FORBIDDEN = {
    "unfinished work": r"\b(?:TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b",
    "a path of one machine": r"(?<![\w.])/(?:wor[k]|opt/(?:ven[v]|w))/",
    "a folder outside the repository": r"\.\./share[d]\b",
    "how the text came about": r"(?i)\bsub-?agen[t]s?\b|\bthis sessio[n]\b|\bissue #?\d+\b",
}


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_no_file_holds(kind: str):
    pattern = re.compile(FORBIDDEN[kind])
    found = []
    for path in text_files():
        name = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    assert found == [], one_a_line(found)


# Each with the reason that lifts the rule.
SKIPS = {
    "tests/surfaces/web/conftest.py": "no package brings a browser; where CI is set its lack fails",
}


def test_no_test_is_skipped_or_expected_to_fail():
    """A test that does not run proves nothing; what cannot run everywhere has its own target."""
    found = []
    for path in [*python_files(ROOT / "tests"), *python_files(PACKAGE / "testing")]:
        if path.relative_to(ROOT).as_posix() in SKIPS:
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Attribute) and node.attr in {"skip", "skipif", "xfail"}:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == [], one_a_line(found)


def test_no_exception_is_swallowed():
    found = []
    for path in python_files():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ExceptHandler) and _is_silent(node):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == [], one_a_line(found)


def _is_silent(handler: ast.ExceptHandler) -> bool:
    broad = handler.type is None or ast.unparse(handler.type) in {"Exception", "BaseException"}
    return broad and all(isinstance(node, ast.Pass | ast.Continue) for node in handler.body)


def test_every_suppression_names_its_code_and_reason():
    """``# type: ignore[code]  # reason`` and ``# noqa: CODE  # reason`` (or ``- reason``)."""
    bare = re.compile(
        r"#\s*(?:type:\s*ignore|noqa)(?!(?:\[[\w-]+(?:,\s*[\w-]+)*\]|:\s*[A-Z]+\d+"
        r"(?:,\s*[A-Z]+\d+)*)\s*(?:#|-|—)\s*\w)"
    )
    found = []
    for path in python_files() + python_files(ROOT / "tests"):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if bare.search(line) and "re.compile" not in line and '"""' not in line:
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == [], one_a_line(found)


def test_the_version_stands_in_the_changelog():
    version = re.search(r'^__version__ = "(.+)"$', (PACKAGE / "__init__.py").read_text(), re.M)
    assert version, "rag/__init__.py sets no __version__"
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## \[{re.escape(version.group(1))}\] - ", changelog, re.MULTILINE)


def test_the_source_distribution_holds_what_its_tests_need():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    included = {Path(name.lstrip("/")).name for name in build["targets"]["sdist"]["include"]}
    assert included >= {"rag", "tests", "docs", "openspec", "devflow", "examples", "benchmarks"}
