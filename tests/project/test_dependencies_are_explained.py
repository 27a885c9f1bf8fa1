"""Every dependency has its line of reason in docs/dependencies.md, and every line a dependency."""

from __future__ import annotations

import pytest

from tests.project.repository import ROOT, distribution_name, project_metadata, table_rows

PAGE = ROOT / "docs" / "dependencies.md"
PROJECT = project_metadata()
BASE = {distribution_name(requirement) for requirement in PROJECT["dependencies"]}
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def _explained(heading: str) -> dict[str, str]:
    """Return the reason by distribution name; the last column of the table is the reason."""
    return {row[0].strip("`"): row[-1] for row in table_rows(PAGE, heading)}


def test_the_table_of_base_dependencies_is_the_list_in_pyproject():
    assert set(_explained("## Base dependencies")) == BASE


def test_the_table_of_extras_is_the_list_in_pyproject():
    listed = {row[0].strip("`"): row[-2].strip("`") for row in table_rows(PAGE, "## Extras")}
    assert listed == {
        distribution_name(requirement): extra
        for extra, requirements in EXTRAS.items()
        for requirement in requirements
        if extra not in {"dev", "all"}
    }


def test_the_table_of_development_tools_is_the_list_in_pyproject():
    tools = {distribution_name(requirement) for requirement in EXTRAS["dev"]} - {PROJECT["name"]}
    assert set(_explained("## Development")) == tools


@pytest.mark.parametrize("heading", ["## Base dependencies", "## Extras", "## Development"])
def test_every_line_gives_a_reason(heading: str):
    assert [name for name, reason in _explained(heading).items() if len(reason) < 20] == []
