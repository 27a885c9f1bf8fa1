"""A module is named after what it holds."""

from __future__ import annotations

from tests.project.repository import ROOT, one_a_line, python_files

VAGUE_NAMES = {"utils", "util", "common", "helpers", "core", "misc", "base", "types", "functions"}


def test_no_module_has_a_name_that_says_nothing():
    vague = [path.relative_to(ROOT) for path in python_files() if path.stem in VAGUE_NAMES]
    assert vague == [], one_a_line(vague)
