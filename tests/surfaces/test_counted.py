"""One of a thing is told in the singular, on every surface."""

from __future__ import annotations

import re
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


def test_no_command_says_one_of_several(cli: CommandLine, tmp_path: Path):
    note = tmp_path / "tea.md"
    note.write_text("# Tea\n\nGreen tea steeps for two minutes.\n", "utf-8")
    ran = [
        cli(*words, stdin='{"query": "tea"}\n')
        for words in (
            ("ingest", note),
            ("list",),
            ("search", "tea"),
            ("search", "tea", "--bulk"),
            ("lookup", "tea", "-k", 1),
            ("fetch", "document", "tea.md", "--max-tokens", 1),
            ("inspect", "tea.md"),
            ("copy", "--from", ".rag", "--to", "copied"),
            ("delete", "tea.md"),
            ("reset", "--yes"),
        )
    ]
    said = "".join(one.out + one.err for one in ran)
    assert "found 1 file\n" in said
    assert "1 chunk written" in said
    assert "1 candidate " in said
    assert "deleted tea.md: 1 chunk\n" in said
    assert not re.findall(
        r"\b1 (?:chunks|candidates|documents|files|vectors|tokens|searches)\b", said
    )


@pytest.mark.parametrize("count", [1, 2])
def test_a_list_keeps_its_columns_whatever_the_number(cli: CommandLine, tmp_path: Path, count: int):
    for name in range(count):
        cli(
            "ingest", "-", "--name", f"{name}.md", stdin="# A\n\na\n\n# B\n\nb\n" * 400 * (name + 1)
        )
    starts = {line.rindex("  A") for line in cli("list").out.splitlines()}
    assert len(starts) == 1
