"""A module that grows long holds a second idea that wants its own file."""

from __future__ import annotations

from tests.project.repository import ROOT, python_files

MAX_LINES = 300
VAGUE_NAMES = {"utils", "util", "common", "helpers", "core", "misc", "base", "types", "functions"}


def test_modules_are_at_most_300_lines():
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in python_files()
    }
    assert {path: lines for path, lines in lengths.items() if lines > MAX_LINES} == {}


def test_no_module_has_a_name_that_says_nothing():
    vague = [path for path in python_files() if path.stem in VAGUE_NAMES]
    assert [path.relative_to(ROOT).as_posix() for path in vague] == []
