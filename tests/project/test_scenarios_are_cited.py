"""What the specs promise is tested, and what the tests cite is promised.

A test cites a scenario with ``@pytest.mark.scenario("<capability>", "<Scenario title>")``.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.project.repository import PACKAGE, ROOT, one_a_line, parsed, python_files

SPECS = sorted((ROOT / "openspec" / "specs").glob("*/spec.md"))
CAPABILITIES = {
    "cli",
    "embedding",
    "evidence",
    "ingestion",
    "knowledge-stores",
    "lookup-tool",
    "retrieval",
    "score-quality",
    "text-analysis",
}
MAX_REQUIREMENT_CHARS = 500  # longer ones hold more than one promise

Scenario = tuple[str, str]


def _without_fences(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def _scenarios(spec: Path) -> list[Scenario]:
    text = _without_fences(spec.read_text(encoding="utf-8"))
    titles = re.findall(r"^#### Scenario: (.+?)\s*$", text, re.MULTILINE)
    return [(spec.parent.name, title) for title in titles]


def _citations() -> dict[Scenario, list[str]]:
    found: dict[Scenario, list[str]] = {}
    for path in [*python_files(ROOT / "tests"), *python_files(PACKAGE / "testing")]:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and _is_scenario_mark(node.func):
                where = f"{path.relative_to(ROOT)}:{node.lineno}"
                arguments = [getattr(argument, "value", None) for argument in node.args]
                assert len(arguments) == 2, f"{where}: two literal strings are needed"
                assert all(isinstance(argument, str) for argument in arguments), where
                found.setdefault((arguments[0], arguments[1]), []).append(where)
    return found


def _is_scenario_mark(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "scenario"
        and isinstance(function.value, ast.Attribute)
        and function.value.attr == "mark"
    )


PROMISED = [scenario for spec in SPECS for scenario in _scenarios(spec)]


def test_there_are_specs():
    """The validator calls a repository without specs valid, so their presence is checked here."""
    missing = CAPABILITIES - {spec.parent.name for spec in SPECS}
    assert missing == set(), one_a_line(missing)


def test_every_scenario_is_cited_by_a_test():
    cited = _citations()
    uncited = [" / ".join(scenario) for scenario in PROMISED if scenario not in cited]
    assert uncited == [], one_a_line(uncited)


def test_every_citation_names_a_scenario_that_exists():
    unknown = [
        f"{' / '.join(scenario)}: {', '.join(places)}"
        for scenario, places in _citations().items()
        if scenario not in PROMISED
    ]
    assert unknown == [], one_a_line(unknown)


def test_scenario_titles_are_unique_within_their_capability():
    doubled = [scenario for scenario, times in Counter(PROMISED).items() if times > 1]
    assert doubled == [], one_a_line(doubled)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.parent.name)
def test_requirements_are_short(spec: Path):
    blocks = re.split(r"^### Requirement: ", _without_fences(spec.read_text("utf-8")), flags=re.M)
    bodies = {
        block.splitlines()[0]: "\n".join(block.splitlines()[1:]).split("\n#", 1)[0].strip()
        for block in blocks[1:]
    }
    assert {name: len(b) for name, b in bodies.items() if len(b) > MAX_REQUIREMENT_CHARS} == {}
