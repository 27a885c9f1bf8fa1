"""One of a thing is told in the singular, on every surface."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.surfaces.counted import counted
from tests.surfaces.cli.command_line import CommandLine
from tests.surfaces.cli.conftest import cli, quiet_place

__all__ = ["cli", "quiet_place"]  # fixtures


def test_one_is_singular_and_any_other_number_plural():
    assert [counted(n, "chunk") for n in (0, 1, 2)] == ["0 chunks", "1 chunk", "2 chunks"]
    assert counted(1, "search", "searches") == "1 search"
    assert counted(2, "search", "searches") == "2 searches"


@pytest.mark.parametrize("count", [1, 2])
def test_a_list_keeps_its_columns_whatever_the_number(cli: CommandLine, tmp_path: Path, count: int):
    for name in range(count):
        cli(
            "ingest", "-", "--name", f"{name}.md", stdin="# A\n\na\n\n# B\n\nb\n" * 400 * (name + 1)
        )
    starts = {line.rindex("  A") for line in cli("list").out.splitlines()}
    assert len(starts) == 1
