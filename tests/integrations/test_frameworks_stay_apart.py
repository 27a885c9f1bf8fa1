"""Each framework is loaded by its own adapter, missed in words, and kept silent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ADAPTERS = {
    "langchain": "langchain_core",
    "llama_index": "llama_index",
    "haystack": "haystack",
    "pydantic_ai": "pydantic_ai",
}
LOADED = "sorted({name.split('.')[0] for name in sys.modules})"


def _printed(program: str, home: Path, **environment: str) -> Any:
    """Run a program in a fresh interpreter; return what it printed, as JSON."""
    kept = {k: v for k, v in os.environ.items() if k != "HAYSTACK_TELEMETRY_ENABLED"}
    done = subprocess.run(
        [sys.executable, "-c", f"import json, os, sys\n{program}"],
        env={**kept, "HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("imported", ["rag", "rag.integrations", "rag.tool"])
def test_the_package_loads_no_framework(imported: str, tmp_path: Path):
    loaded = _printed(f"import {imported}\nprint(json.dumps({LOADED}))", tmp_path)
    assert set(loaded).isdisjoint(ADAPTERS.values())


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_loads_its_own_framework_alone_connects_to_nothing_and_writes_nothing(
    adapter: str, tmp_path: Path
):
    program = f"""
opened = []
sys.addaudithook(lambda event, _: opened.append(event) if event == "socket.connect" else None)
import rag.integrations.{adapter}
print(json.dumps([{LOADED}, opened]))
"""
    loaded, opened = _printed(program, tmp_path)
    assert set(loaded) & set(ADAPTERS.values()) == {ADAPTERS[adapter]}
    assert opened == []
    assert [one.name for one in tmp_path.iterdir()] == []


@pytest.mark.scenario("framework-adapters", "A framework that is not installed")
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_missing_framework_is_told_with_the_command_that_installs_it(
    adapter: str, tmp_path: Path
):
    program = f"""
from rag.errors import MissingExtraError
sys.modules[{ADAPTERS[adapter]!r}] = None  # as if it were not installed
try:
    import rag.integrations.{adapter}
except MissingExtraError as error:
    print(json.dumps(error.to_wire()))
"""
    error = _printed(program, tmp_path)
    extra = adapter.replace("_", "-")
    assert error["code"] == "missing_extra"
    assert error["hint"] == f"pip install 'rag-evidence[{extra}]'"


@pytest.mark.scenario("framework-adapters", "Telemetry of Haystack")
def test_importing_the_adapter_leaves_the_telemetry_of_haystack_off(tmp_path: Path):
    program = """
import rag.integrations.haystack
from haystack.telemetry import _telemetry
print(json.dumps(_telemetry.telemetry is not None))
"""
    assert _printed(program, tmp_path) is False
    assert not (tmp_path / ".haystack").exists()


def test_whoever_says_yes_to_the_telemetry_of_haystack_keeps_it(tmp_path: Path):
    program = """
import rag.integrations.haystack
print(json.dumps(os.environ["HAYSTACK_TELEMETRY_ENABLED"]))
"""
    given = _printed(program, tmp_path, HAYSTACK_TELEMETRY_ENABLED="true")
    assert given == "true"
