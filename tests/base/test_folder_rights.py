"""A base whose folder the process may not use as it wants to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Root reads everything; without these capabilities it has the rights of the mode bits.
DROPPED = ["-dac_override", "-dac_read_search"]
BEGIN = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import rag
from rag.errors import RagError
settings = rag.load_settings(store={{"uri": sys.argv[1]}}, embedding={{"embedder": "none"}})
"""
MAKE = f"""{BEGIN}
with rag.open(settings) as base:
    base.ingest(sys.argv[2])
"""
OPEN = f"""{BEGIN}
try:
    with rag.open(settings) as base:
        print(len(base.search("plover").hits))
except RagError as error:
    print(error.code, "|", error.hint)
"""


def open_as_a_user(folder: Path) -> str:
    """Open the base in a process that the mode bits bind; return what it prints."""
    command = [sys.executable, "-c", OPEN, str(folder)]
    if os.geteuid() == 0:
        sets = [f"{flag}={','.join(DROPPED)}" for flag in ("--bounding-set", "--inh-caps")]
        command = ["setpriv", *sets, *command]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr
    return ran.stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A base of one document, made by a process that has ended."""
    (tmp_path / "a.md").write_text("a plover\n", encoding="utf-8")
    command = [sys.executable, "-c", MAKE, str(tmp_path / "base"), str(tmp_path / "a.md")]
    subprocess.run(command, check=True)
    return tmp_path / "base"


def test_a_folder_that_may_not_be_entered_is_a_typed_error(folder: Path):
    folder.chmod(0o000)
    try:
        assert open_as_a_user(folder).startswith("store_failed |")
    finally:
        folder.chmod(0o755)


def test_a_folder_that_may_not_be_written_tells_how_to_search_it(folder: Path):
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    try:
        code, _, hint = open_as_a_user(folder).partition(" | ")
    finally:
        folder.chmod(0o755)
    assert code == "readonly"
    assert "--readonly" in hint
