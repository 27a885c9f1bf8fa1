"""The examples run as they stand."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rag.samples import handbook_path
from rag.tool import tool_definition
from tests.examples.scripted_model import completion, messages_reply, scripted_model

ROOT = Path(__file__).parents[2]
MOST_LINES = 15  # what one reads at a glance
ADAPTED = sorted(
    path
    for kind in ("foreign_hits", "retriever", "tool")
    for path in (ROOT / "examples").glob(f"*_{kind}.py")
)


def _run(script: str, *arguments: str, cache: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / script), *arguments],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(cache),
            "HAYSTACK_TELEMETRY_ENABLED": "False",
            **environment,
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


QUESTION = "How fast must a SEV1 incident be answered?"
GOOD, FAULTY = {"query": QUESTION, "k": 2}, {"query": QUESTION, "k": 0}
NOT_JSON = '{"query": "'
EVIDENCE = "| SEV1 | customers cannot reach their data | 5 minutes |"
FAULT = "error: 'k' must be a whole number from 1 to 200; got 0"
SAYS = "Within 5 minutes [1]."


def test_chat_completions_get_the_text_of_each_look_up_and_of_each_fault(tmp_path: Path):
    script = [completion(json.dumps(GOOD), json.dumps(FAULTY), NOT_JSON), completion(says=SAYS)]
    with scripted_model(script) as model:
        told = _run(
            "openai_loop.py",
            str(handbook_path()),
            QUESTION,
            "a-model",
            cache=tmp_path,
            OPENAI_BASE_URL=f"{model.url}/v1",
            OPENAI_API_KEY="secret",
        )
    assert told == f"{SAYS}\n"
    assert {(path, headers["authorization"]) for path, headers, _ in model.asked} == {
        ("/v1/chat/completions", "Bearer secret")
    }
    first, second = model.requests
    asked = {"role": "user", "content": QUESTION}
    assert first == {"model": "a-model", "messages": [asked], "tools": [tool_definition("openai")]}
    user, assistant, *answers = second["messages"]
    assert (user, assistant) == (asked, script[0]["choices"][0]["message"])
    assert [(one["role"], one["tool_call_id"]) for one in answers] == [
        ("tool", call["id"]) for call in assistant["tool_calls"]
    ]
    found, faulty, garbled = (one["content"] for one in answers)
    assert found.startswith("Relevance high")
    assert found.count(EVIDENCE) == 1
    assert faulty.startswith(FAULT)
    assert garbled.startswith("error: the arguments are not JSON: ")


def test_anthropic_s_messages_get_a_result_for_each_call_and_a_fault_marked_as_one(tmp_path: Path):
    script = [messages_reply(GOOD, FAULTY, says="Let me look."), messages_reply(says=SAYS)]
    with scripted_model(script) as model:
        told = _run(
            "anthropic_loop.py",
            str(handbook_path()),
            QUESTION,
            "a-model",
            cache=tmp_path,
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="secret",
        )
    assert told == f"{SAYS}\n"
    for path, headers, body in model.asked:
        assert (path, headers["x-api-key"]) == ("/v1/messages", "secret")
        assert headers["anthropic-version"] == "2023-06-01"
        assert (body["model"], body["tools"]) == ("a-model", [tool_definition("anthropic")])
        assert body["max_tokens"] > 0
    user, assistant, results = model.requests[1]["messages"]
    assert user == {"role": "user", "content": QUESTION}
    assert assistant == {"role": "assistant", "content": script[0]["content"]}
    assert results["role"] == "user"
    found, faulty = results["content"]
    assert (found["type"], found["tool_use_id"]) == ("tool_result", "toolu_1")
    assert "is_error" not in found
    assert found["content"].count(EVIDENCE) == 1
    assert (faulty["tool_use_id"], faulty["is_error"]) == ("toolu_2", True)
    assert faulty["content"].startswith(FAULT)


@pytest.mark.parametrize("script", ["openai_loop.py", "anthropic_loop.py"])
def test_a_model_that_never_stops_asking_is_stopped(script: str, tmp_path: Path):
    asks = (
        completion(json.dumps(GOOD))
        if script.startswith("openai")
        else messages_reply(GOOD, says="")
    )
    with scripted_model([asks] * 9) as model:
        told = _run(
            script,
            str(handbook_path()),
            QUESTION,
            "a-model",
            cache=tmp_path,
            OPENAI_BASE_URL=model.url,
            ANTHROPIC_BASE_URL=model.url,
        )
    assert told == "no answer in 8 turns\n"
    assert len(model.requests) == 8
    assert "no_new_evidence" in json.dumps(model.requests[-1])


@pytest.mark.parametrize("script", ["openai_loop.py", "anthropic_loop.py"])
def test_the_page_shows_the_loop_of_the_example(script: str):
    source = (ROOT / "examples" / script).read_text("utf-8")
    page = (ROOT / "docs" / "tool.md").read_text("utf-8")
    loop = [
        ast.get_source_segment(source, node)
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name in {"look_up", "tool_result", "answer"}
    ]
    assert len(loop) == 2
    assert [part for part in loop if part not in page] == []


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
        (
            "langchain_foreign_hits.py",
            "[1] ops/backups.md\n<evidence>\nBackups are kept for 14 days.\n",
        ),
        ("llama_index_foreign_hits.py", "0.35 Backups are encrypted.\nhigh ['below_quality']\n"),
        (
            "haystack_foreign_hits.py",
            "[1] ops/backups.md\n<evidence>\nBackups are kept for 14 days.\n</evidence>\n",
        ),
        (
            "pydantic_ai_foreign_hits.py",
            "[2] ops/keys.md\\n<evidence>\\nBackups are encrypted.\\n</evidence>",
        ),
    ],
)
def test_hits_of_other_retrievers_become_evidence(script: str, shown: str, tmp_path: Path):
    assert shown in _run(script, cache=tmp_path)


def test_the_kind_of_a_list_s_scores_decides_what_its_qualities_are(tmp_path: Path):
    cosine, bm25, rrf, *_ = _run("plain_foreign_hits.py", cache=tmp_path).splitlines()
    assert cosine.startswith("cosine [0.71, 0.35, 0.02] high similarity")
    assert bm25.startswith("bm25 [1.0, 0.67, 0.33] medium ordinal")
    assert rrf.startswith("rrf [1.0, 0.67, 0.33] medium ordinal")


def test_a_model_is_cited_a_name_and_never_an_id(tmp_path: Path):
    """A hit without a ``uri`` is cited by its id, which is a hash in most stores."""
    for script in sorted((ROOT / "examples").glob("*_foreign_hits.py")):
        shown = _run(script.name, cache=tmp_path)
        assert "[1] " not in shown or "[1] ops/backups.md" in shown, script.name
        assert re.search(r"[0-9a-f]{32}", shown) is None, script.name


@pytest.mark.parametrize("script", ADAPTED, ids=lambda path: path.name)
def test_an_example_of_an_adapter_is_short(script: Path):
    code = script.read_text("utf-8").partition('"""\n\n')[2]  # what follows the docstring
    lines = [line for line in code.splitlines() if line.strip()]
    assert 5 <= len(lines) <= MOST_LINES


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_every_example_says_how_it_is_run(script: Path):
    assert f"python examples/{script.name}" in script.read_text("utf-8")
