"""The examples run as they stand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rag.samples import handbook_path

ROOT = Path(__file__).parents[2]


def _run(script: str, *arguments: str, cache: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / script), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_folder_is_asked_a_question_and_the_evidence_is_cited(tmp_path: Path):
    shown = _run(
        "ask_a_folder.py", str(handbook_path()), "How long are backups kept?", cache=tmp_path
    )
    assert "[1] backups.md#L15-L19" in shown


def test_tool_calls_are_answered_and_a_faulty_one_gets_a_code(tmp_path: Path):
    tool, *answers = _run("answer_tool_calls.py", str(handbook_path()), cache=tmp_path).splitlines()
    assert tool == "tool: lookup_knowledge"
    assert len(answers) == 3
    assert answers[2].startswith("invalid_argument - 'k' must be a whole number from 1 to 200")


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_every_example_says_how_it_is_run(script: Path):
    assert f"python examples/{script.name}" in script.read_text("utf-8")
