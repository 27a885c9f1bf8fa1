"""``rag watch`` as a process: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rag.surfaces.cli.app import run
from tests.surfaces.watch.waiting import DEADLINE_S, wait_until

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "heron.md").write_text("# Heron\n\nThe heron waits.\n", encoding="utf-8")
    return folder


def started(folder: Path, *options: str) -> subprocess.Popen[str]:
    """Start the command with its standard output in a file beside the folder."""
    place = folder.parent
    command = [sys.executable, "-m", "rag", "watch", folder.name, "--store", "kb", *options]
    with (place / "out.txt").open("w") as out, (place / "err.txt").open("w") as err:
        return subprocess.Popen(
            [*command, "--embedder", "hashing", "--quiet", "0.05"],
            stdout=out,
            stderr=err,
            text=True,
            cwd=place,
            env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(place / "cache")},
        )


@pytest.mark.scenario("watching", "A line for every run that changed something")
def test_it_prints_plain_lines_and_stops_cleanly(folder: Path):
    out, err = folder.parent / "out.txt", folder.parent / "err.txt"
    with started(folder) as process:
        try:
            wait_until(lambda: "1 new in" in out.read_text(), "the first run is printed")
            (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
            wait_until(lambda: "broken.pdf: unreadable" in out.read_text(), "the fault is printed")
            (folder / "heron.md").unlink()
            wait_until(lambda: "1 deleted" in out.read_text(), "the deletion is printed")
            process.send_signal(signal.SIGINT)
            assert process.wait(DEADLINE_S) == 0
        finally:
            process.kill()
    assert out.read_text().count("skipped broken.pdf") == 1  # told once, though every run meets it
    assert all(line[2] == ":" and line[5] == ":" for line in out.read_text().splitlines())
    assert err.read_text().splitlines() == [
        "watching docs; Ctrl-C ends it",
        "stopped; what was read is kept",
    ]


@pytest.mark.scenario("watching", "A folder that is moved away and back")
def test_a_folder_that_is_back_is_told_of_with_what_was_found(folder: Path):
    out = folder.parent / "out.txt"
    with started(folder) as process:
        try:
            wait_until(lambda: "1 new in" in out.read_text(), "the first run is printed")
            away = folder.rename(folder.parent / "away")
            wait_until(lambda: "is gone" in out.read_text(), "the loss is printed")
            away.rename(folder)
            wait_until(lambda: "is back" in out.read_text(), "the return is printed")
        finally:
            process.kill()
    assert re.search(r"^[0-9:]{8}  the folder is back: 1 unchanged in ", out.read_text(), re.M)


@pytest.mark.scenario("watching", "Lines for a program")
def test_with_json_every_line_is_an_object(folder: Path):
    out = folder.parent / "out.txt"
    with started(folder, "--json") as process:
        try:
            wait_until(lambda: out.read_text().count("\n") == 1, "the first run is printed")
            (folder / "stork.md").write_text("# Stork\n", encoding="utf-8")
            wait_until(lambda: out.read_text().count("\n") == 2, "the second run is printed")
            process.send_signal(signal.SIGTERM)
            assert process.wait(DEADLINE_S) == 0
        finally:
            process.kill()
    first, second = map(json.loads, out.read_text().splitlines())
    assert first["schema_version"] == second["schema_version"] == "ingest_report.v1"
    assert [file["uri"] for file in second["files"]] == ["stork.md"]
    assert second["unchanged"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("missing",), "path_not_found", 2),
        ((".", "--readonly"), "readonly", 1),
        ((".", "--quiet", "0"), "invalid_argument", 2),
    ],
)
def test_what_cannot_be_watched_is_refused(
    arguments: tuple[str, ...],
    code: str,
    exit_code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    assert run(["watch", *arguments, "--json"]) == exit_code
    assert json.loads(capsys.readouterr().err)["code"] == code
    assert list(tmp_path.iterdir()) == []
