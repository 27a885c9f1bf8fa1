"""The examples run as they stand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rag.samples import handbook_path

ROOT = Path(__file__).parents[2]
MOST_LINES = 15  # what one reads at a glance
ADAPTED = sorted(
    path
    for kind in ("foreign_hits", "retriever", "tool")
    for path in (ROOT / "examples").glob(f"*_{kind}.py")
)


def _run(script: str, *arguments: str, cache: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / script), *arguments],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(cache),
            "HAYSTACK_TELEMETRY_ENABLED": "False",
        },
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


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("langchain_retriever.py", "backups.md#L1-L8 rrf\nhigh - Relevance high"),
        ("llama_index_retriever.py", "backups.md#L15-L19 1.0 rrf\n"),
        ("haystack_retriever.py", "['backups.md#L15-L19', 'backups.md#L1-L8'] Relevance high"),
        ("pydantic_ai_tool.py", "UserPromptPart\nToolCallPart\nToolReturnPart\nTextPart\n"),
    ],
)
def test_a_framework_asks_a_base(script: str, shown: str, tmp_path: Path):
    assert shown in _run(script, str(handbook_path()), cache=tmp_path)


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("langchain_foreign_hits.py", "[1] a.md\n<evidence>\nBackups are kept for 14 days.\n"),
        ("llama_index_foreign_hits.py", "0.35 Backups are encrypted.\nhigh ['below_quality']\n"),
        ("haystack_foreign_hits.py", "<evidence>\nBackups are kept for 14 days.\n</evidence>\n"),
        ("pydantic_ai_foreign_hits.py", "<evidence>\\nBackups are encrypted.\\n</evidence>"),
    ],
)
def test_hits_of_other_retrievers_become_evidence(script: str, shown: str, tmp_path: Path):
    assert shown in _run(script, cache=tmp_path)


def test_the_kind_of_a_list_s_scores_decides_what_its_qualities_are(tmp_path: Path):
    cosine, bm25, rrf = _run("plain_foreign_hits.py", cache=tmp_path).splitlines()
    assert cosine.startswith("cosine [0.71, 0.35, 0.02] high similarity ")
    assert bm25.startswith("bm25 [1.0, 0.67, 0.33] medium ordinal ")
    assert rrf.startswith("rrf [1.0, 0.67, 0.33] medium ordinal ")


@pytest.mark.parametrize("script", ADAPTED, ids=lambda path: path.name)
def test_an_example_of_an_adapter_is_short(script: Path):
    code = script.read_text("utf-8").partition('"""\n\n')[2]  # what follows the docstring
    lines = [line for line in code.splitlines() if line.strip()]
    assert 5 <= len(lines) <= MOST_LINES


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_every_example_says_how_it_is_run(script: Path):
    assert f"python examples/{script.name}" in script.read_text("utf-8")
