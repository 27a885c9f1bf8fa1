"""A module that grows long holds a second idea that wants its own file."""

from __future__ import annotations

from tests.project.repository import ROOT, one_a_line, python_files

MAX_LINES = 300
VAGUE_NAMES = {"utils", "util", "common", "helpers", "core", "misc", "base", "types", "functions"}


def test_modules_are_at_most_300_lines():
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in python_files()}
    long = [f"{p.relative_to(ROOT)}: {n} lines" for p, n in lengths.items() if n > MAX_LINES]
    assert long == [], one_a_line(long)


def test_no_module_has_a_name_that_says_nothing():
    vague = [path.relative_to(ROOT) for path in python_files() if path.stem in VAGUE_NAMES]
    assert vague == [], one_a_line(vague)
