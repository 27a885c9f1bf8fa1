"""What a person sees on a terminal, and what a pipe gets."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from rag.surfaces.cli.terminal import shown
from tests.surfaces.cli.command_line import CommandLine, checked

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r}); from rag.surfaces.cli import main; main()"
)
_STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def on_a_terminal(columns: int, *arguments: object) -> list[str]:
    """Run a command on a terminal of its own; return its screen's lines without colours."""
    return _STYLE.sub("", screen_of(columns, *arguments)).split("\n")


def screen_of(columns: int, *arguments: object) -> str:
    """Run a command on a terminal of its own; return all that it printed, colours too."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"},
    )
    os.close(slave)
    seen = b""
    while select.select([master], [], [], 60)[0]:
        try:
            data = os.read(master, 65_536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        seen += data
    process.wait()
    os.close(master)
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.scenario("cli", "A terminal of 80 columns")
@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_gets_lines_that_fit_and_one_short_line_on_how_to_go_on(
    shelf_uri: Path, columns: int
):
    lines = on_a_terminal(
        columns, "search", "backups kept", "--explain", "-k", 3, "--store", shelf_uri
    )
    more = [line for line in lines if line.startswith("more: ")]
    assert more == ["more: a larger -k, or --cursor with the next_cursor that --json prints"]
    assert max(len(line) for line in lines) <= columns
    snippets = [line for line in lines if line.startswith("     ")]
    assert snippets, "snippets and explanations stand under their headline"


@pytest.mark.scenario("cli", "A pipe")
def test_a_pipe_gets_each_thing_on_one_line(shelf: CommandLine):
    lines = shelf("search", "backups kept", "-k", 3).out.splitlines()
    assert any(len(line) > 120 for line in lines)
    headlines = [line for line in lines if re.match(r"  \d  [█░]{10} \d\.\d\d  \S+#L", line)]
    assert len(headlines) == 3
    assert not any("\x1b" in line for line in lines)


def test_json_is_compact_in_a_pipe_and_indented_on_a_terminal(shelf: CommandLine, shelf_uri: Path):
    piped = shelf("search", "backups", "-k", 1, "--json").out
    assert piped.count("\n") == 1
    assert len(on_a_terminal(80, "search", "backups", "--json", "--store", shelf_uri)) > 50


def test_an_ingest_on_a_terminal_shows_a_bar_and_plain_lines_elsewhere(
    cli: CommandLine, notes: Path, tmp_path: Path
):
    screen = "".join(on_a_terminal(80, "ingest", notes, "--store", tmp_path / "on_terminal"))
    assert "━" in screen
    assert "2 files in" in screen
    ran = cli("ingest", notes, "--store", tmp_path / "piped")
    assert ran.err == "found 2 files\n"
    assert ran.out.startswith("2 files in ")
    quiet = cli("ingest", notes, "--store", tmp_path / "as_json", "--json")
    assert quiet.err == ""


def test_text_from_documents_cannot_steer_a_terminal(cli: CommandLine, tmp_path: Path):
    """A retrieved control character or direction mark is shown as a replacement character."""
    hostile = "# Title\n\nred \x9b31malert and \u202eright to left\n"
    cli("ingest", "-", "--name", "a.md", stdin=hostile)
    for command in (("search", "alert"), ("lookup", "alert"), ("fetch", "document", "a.md")):
        out = cli(*command).out
        assert "\x9b" not in out
        assert "\u202e" not in out
        assert "\N{REPLACEMENT CHARACTER}31malert" in out


def test_what_is_shown_keeps_its_length_so_that_matches_stay_in_place():
    text = "a\x00b\x1bc\u202ed\te\nf\x9bg"
    assert len(shown(text)) == len(text)
    assert shown(text) == "a\ufffdb\ufffdc\ufffdd\te\nf\ufffdg"


def test_a_reader_that_goes_away_is_no_error(shelf_uri: Path):
    done = subprocess.run(
        [
            "bash",
            "-c",
            f'"{sys.executable}" -c "$1" schema rag_tool_result.v1 | head -n 1; '
            'echo "${PIPESTATUS[0]}"',
            "bash",
            PROGRAM,
        ],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "RAG_STORE__URI": str(shelf_uri)},
    )
    assert done.stdout == "{\n0\n"
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", [("search", "备份"), ("search", "备份", "--json"), ("list",)])
def test_an_encoding_that_lacks_a_character_is_no_error(
    shelf_uri: Path, arguments: tuple[str, ...]
):
    """Text gets a question mark in its place; JSON is UTF-8 whatever the locale says."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments, "--store", str(shelf_uri)],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.stderr == b""
    if "--json" in arguments:
        assert checked(done.stdout.decode("utf-8"))["query"] == "备份"
    else:
        assert b"?" in done.stdout


def run_in_a_shell(redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command whose standard streams a shell has redirected."""
    words = shlex.join([sys.executable, "-c", PROGRAM, *arguments])
    return subprocess.run(
        ["bash", "-c", f"{words} {redirection}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_a_result_that_a_full_disk_refuses_is_an_error_and_no_traceback(
    shelf_uri: Path, json_flag: list[str]
):
    ran = run_in_a_shell("> /dev/full", "list", "--store", str(shelf_uri), *json_flag)
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr
    assert "No space left on device" in ran.stderr
    if json_flag:
        assert checked(ran.stderr)["code"] == "error"


def test_closed_standard_streams_are_empty_ones(shelf_uri: Path):
    store = ("--store", str(shelf_uri))
    unheard = run_in_a_shell(">&-", "list", "--json", *store)
    assert (unheard.returncode, unheard.stderr) == (0, "")
    answer = run_in_a_shell("2>&-", "list", "--json", *store)
    assert checked(answer.stdout)["total"] > 0
    unread = run_in_a_shell("<&-", "ingest", "-", "--name", "a.md", "--json", *store)
    assert unread.returncode == 2
    assert checked(unread.stderr)["code"] == "unreadable_file"
    refused = run_in_a_shell("<&- 2>&-", "search", " ", *store)
    assert (refused.returncode, refused.stdout) == (2, "")


def test_a_screen_of_no_width_hides_nothing(shelf_uri: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "0")
    listed = run_in_a_shell("", "list", "--store", str(shelf_uri))
    assert len(listed.stdout.splitlines()) > 0
    assert run_in_a_shell("", "list", "--help").stdout.startswith("Usage: rag list")
