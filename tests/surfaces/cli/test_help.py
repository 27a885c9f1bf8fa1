"""Help is quick to come, fits the terminal, and shows how to call each command."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

from rag.settings import Settings
from rag.surfaces.cli.app import GROUPS, build_app
from tests.surfaces.cli.command_line import CommandLine

NAMES = [name for commands in GROUPS.values() for name in commands]
SERVE = ("serve", "mcp")
ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("arguments", [("--help",), (), ("-h",)])
def test_help_lists_every_command_with_what_it_does(cli: CommandLine, arguments: tuple[str, ...]):
    ran = cli(*arguments)
    assert ran.code == 0
    said = " ".join(ran.out.split())
    for commands in GROUPS.values():
        for name, summary in commands.items():
            assert f"\n  {name} " in ran.out
            assert f"{name} {summary}" in said


@pytest.mark.scenario("cli", "Help of a command")
@pytest.mark.parametrize("name", NAMES)
def test_a_command_explains_itself_with_examples(cli: CommandLine, name: str):
    ran = cli(name, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: rag {name}")
    assert f"\nFor example:\n  rag {name}" in ran.out
    assert ("--json" in ran.out) is (name not in SERVE)  # a service prints no result
    assert "--empty" not in ran.out
    assert "[default" not in ran.out


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("columns", [80, 120])
def test_help_fits_the_width_of_the_terminal(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, name: str, columns: int
):
    monkeypatch.setenv("COLUMNS", str(columns))
    examples = {line for line in cli(name, "--help").out.splitlines() if line.startswith("  ")}
    assert max(map(len, cli(name, "--help").out.splitlines())) <= columns, examples


def test_every_command_is_described_by_the_line_that_lists_it(cli: CommandLine):
    for name in NAMES:
        description = cli(name, "--help").out.split("\n\n")[1]
        assert description, name


@pytest.mark.scenario("cli", "Help loads nothing")
def test_help_loads_no_settings_no_numbers_and_no_engine(tmp_path: Path):
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from rag.surfaces.cli.app import run\n"
        "run(['--help'])\n"
        "heavy = {'numpy', 'pydantic', 'pymilvus', 'structlog', 'onnxruntime', 'sqlite3'}\n"
        "sys.stderr.write(repr(sorted(heavy & set(sys.modules))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stderr == "[]"


def test_the_version_is_told(cli: CommandLine):
    assert cli("--version").out.strip() == "0.1.0"


def test_a_mistyped_command_is_answered_with_the_one_that_is_near(cli: CommandLine):
    ran = cli("serach", "tea")
    assert ran.code == 2
    assert "did you mean: rag search" in ran.err


def test_an_option_before_the_command_is_answered_with_the_line_to_write(cli: CommandLine):
    for words, line in {
        ("--readonly", "search", "tea"): "rag search --readonly tea",
        (
            "--store",
            "a base/kb",
            "lookup",
            "two words",
        ): "rag lookup --store 'a base/kb' 'two words'",
    }.items():
        ran = cli(*words)
        assert ran.code == 2
        assert f"the option {words[0]!r} stands before the command" in ran.err
        assert f"hint: write: {line}\n" in ran.err
    assert "the command is missing; expected one of: quickstart," in cli("--readonly").err


def test_an_option_behind_the_end_of_options_is_answered_with_the_line_to_write(cli: CommandLine):
    ran = cli("search", "--", "-Xmx flag", "-k", 1)
    assert ran.code == 2
    assert "error: '-k' stands behind --, where nothing is an option\n" in ran.err
    assert "hint: write: rag search -k 1 -- '-Xmx flag'\n" in ran.err
    assert "Did you mean" not in ran.err
    assert "store_not_initialised" in cli("search", "-k", 1, "--", "-Xmx flag").err


def test_building_the_command_tree_takes_milliseconds(cli: CommandLine):
    cli("--help")
    started = time.thread_time()  # without what threads of other tests do meanwhile
    cli("--help")
    assert time.thread_time() - started < 0.15


def _options(name: str) -> Iterator[tuple[Any, str]]:
    """Yield the options of a command, each with all that its help says of it."""
    app = build_app(name)[name]
    for argument in app.assemble_argument_collection():
        if argument.show and not argument.children:
            yield argument, argument.name


@pytest.mark.scenario("cli", "Help of a command")
@pytest.mark.parametrize("name", NAMES)
def test_every_option_that_has_a_default_shows_it(cli: CommandLine, name: str):
    said = " ".join(cli(name, "--help").out.split())
    for argument, option in _options(name):
        default = argument.field_info.default
        if argument.required or default in (None, False, "", (), argument.field_info.empty):
            continue
        written = f"{default:g}" if isinstance(default, float) else quote(str(default))
        assert f"(default {written})." in said, option


@pytest.mark.scenario("cli", "Help of a command")
@pytest.mark.parametrize("name", NAMES)
def test_every_option_that_stands_for_a_setting_names_it_and_its_default(
    cli: CommandLine, name: str
):
    """An option named as a setting is, with no default of its own, takes the setting's."""
    settings = {
        field: f"{section}.{field}"
        for section in ("search", "evidence", "server")
        for field in type(getattr(Settings(), section)).model_fields
    }
    settings |= {"store": "store.uri", "embedder": "embedding.embedder"}
    said = " ".join(cli(name, "--help").out.split())
    for argument, option in _options(name):
        setting = settings.get(argument.field_info.name)
        if setting is None or argument.field_info.default is not None or name == "quickstart":
            continue
        section, _, field = setting.partition(".")
        value = getattr(getattr(Settings.model_construct(), section), field)
        shown = "none" if value is None else f"{value:g}" if isinstance(value, float) else value
        assert f"(default: {setting}, {shown})." in said, option


def test_options_that_do_nothing_for_a_command_are_refused_by_it(cli: CommandLine, tmp_path: Path):
    for words in (
        ("copy", "--from", "a", "--to", "b", "--store", "c"),
        ("copy", "--from", "a", "--to", "b", "--embedder", "none"),
        ("init", "--readonly"),
        ("init", "--store", "a"),
        ("mcp", "--http", "--quiet"),
        ("serve", "--quiet", "1"),
    ):
        ran = cli(*words)
        assert ran.code == 2, words
        assert f"Unknown option: {words[-2] if words[-1][0] != '-' else words[-1]}" in " ".join(
            ran.err.split()
        )
        assert "code: invalid_argument" in ran.err
    for service in ("mcp", "serve"):
        assert "--json" in cli(service, "--json").error["message"]
    assert list(tmp_path.iterdir()) == []


def test_a_copy_from_nowhere_says_which_option_to_look_at(cli: CommandLine, tmp_path: Path):
    error = cli("copy", "--from", "nowhere", "--to", "kb", "--json").error
    assert (error["code"], error["hint"]) == ("store_not_initialised", "check --from")
    assert not (tmp_path / "kb").exists()
