"""Any path at all, wherever one is given: a typed error that names it, never a traceback."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rag
from rag.errors import RagError
from rag.errors.system_fault import system_fault
from rag.maintenance.base_copy import copy_base
from rag.platform.at_path import AtPath, at_path, home_path, real_path
from rag.settings import load_settings
from tests.surfaces.cli.command_line import CommandLine
from tests.surfaces.cli.conftest import cli, quiet_place

__all__ = ["cli", "quiet_place"]  # fixtures

NAME_MAX = 255  # bytes in one name, on every file system that is in use
TOO_LONG = "x" * (NAME_MAX + 45)

PATHS: dict[str, str] = {
    "a name too long": TOO_LONG,
    "a path too long": "/".join([TOO_LONG[:200]] * 30),
    "a loop of links": "loop",
    "below a loop": "loop/below",
    "below a plain file": "plain/below",
    "a home that nobody has": "~nobody-of-this-name/x",
    "a device": "/dev/null",
    "a file that cannot be read": "/proc/self/mem",
    "a name that is not UTF-8": "caf\udce9",
}
COMMANDS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "local store": lambda p: ("search", "x", "--store", f"./{p}"),
    "Milvus Lite": lambda p: ("search", "x", "--store", f"./{p}.db"),
    "settings": lambda p: ("search", "x", "--config", p),
    "list": lambda p: ("list", "--store", p),
    "ingest": lambda p: ("ingest", p),
    "copy": lambda p: ("copy", "--from", "nothing-here", "--to", f"./{p}.db"),
    "copy from": lambda p: ("copy", "--from", f"./{p}", "--to", "there"),
    "eval": lambda p: ("eval", p),
    "eval cross": lambda p: ("eval", "golden.jsonl", "--cross", p),
    "eval compare": lambda p: ("eval", "compare", p, p),
    "calibrate": lambda p: ("calibrate", "--golden", p),
    "watch": lambda p: ("watch", p),
    "mcp": lambda p: ("mcp", "--root", p),
    "serve": lambda p: ("serve", "--watch", p, "--port", "0"),
}


@pytest.fixture(autouse=True)
def place(quiet_place: None, tmp_path: Path) -> Path:
    """A folder with a loop of links, a plain file, and a golden file."""
    for name in ("loop", "loop.db"):
        (tmp_path / name).symlink_to(name)
    (tmp_path / "plain").write_text("no folder", "utf-8")
    (tmp_path / "golden.jsonl").write_text('{"question": "a", "relevant": ["a.md"]}\n', "utf-8")
    return tmp_path


@pytest.mark.scenario("cli", "A path that no system takes")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("path", PATHS)
def test_a_command_tells_of_a_path_that_leads_nowhere(cli: CommandLine, path: str, command: str):
    ran = cli(*COMMANDS[command](PATHS[path]), "--json")
    assert ran.code == 2
    error = ran.error
    assert error["given"]
    assert error["allowed"]
    assert error["hint"]


@pytest.mark.parametrize("path", [TOO_LONG, "loop/x", "plain/x"])
@pytest.mark.parametrize(
    "words",
    [
        ("quickstart", "{path}"),
        ("init", "--config", "{path}"),
        ("ingest", "here", "--store", "{path}.db"),
        ("ingest", "here", "--store", "{path}"),
    ],
    ids=" ".join,
)
def test_a_path_that_cannot_be_written_is_told(
    cli: CommandLine, place: Path, words: tuple[str, ...], path: str
):
    (place / "here").mkdir()
    (place / "here" / "a.md").write_text("# A", "utf-8")
    error = cli(*(word.format(path=path) for word in words), "--json").error
    assert error["code"] in ("invalid_argument", "store_failed", "store_not_initialised")


STRANGE = [*PATHS.values(), "a\0b", "half\ud800", "\0", "~\0"]


@pytest.mark.parametrize("path", STRANGE, ids=lambda path: repr(path)[:20])
def test_the_library_raises_its_own_errors_alone(place: Path, path: str):
    here = load_settings(embedding={"embedder": "none"}, store={"uri": str(place / "base")})
    with rag.open(here) as base, pytest.raises(RagError):
        base.ingest(path)
    for suffix in ("", ".db"):
        away = here.model_copy(
            update={"store": here.store.model_copy(update={"uri": path + suffix})}
        )
        with pytest.raises(RagError):
            rag.open(away, create=False)
        with pytest.raises(RagError):
            copy_base(path + suffix, str(place / "other"), here)
    with pytest.raises(RagError):
        load_settings(Path(path))
    with pytest.raises(RagError):
        rag.open(load_settings(evidence={"token_counter": path}, embedding={"embedder": "none"}))


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=300))
def test_looking_at_a_path_never_raises(path: str):
    found = at_path(path)
    assert not (found.exists and found.fault)
    assert found.exists or not (found.is_file or found.is_folder)
    assert real_path(path).is_absolute()
    assert isinstance(home_path(path), Path)


def test_what_lies_at_a_path(place: Path):
    assert at_path(place) == AtPath(exists=True, is_folder=True)
    assert at_path(place / "plain") == AtPath(exists=True, is_file=True)
    assert at_path("/dev/null") == AtPath(exists=True)
    assert at_path(place / "nothing") == at_path(place / "plain" / "x") == AtPath()
    assert at_path(place / "loop") == AtPath(fault=os.strerror(40))
    assert "NUL" in (at_path("a\0b").fault or "")
    assert "surrogate" in (at_path("a\ud800").fault or "")


def test_a_refusal_of_the_system_that_nobody_expected_is_told_with_its_path():
    error = system_fault(PermissionError(13, "Permission denied", "/root/secret"))
    assert (error.code, error.given) == ("unreadable_file", "/root/secret")
    assert "Permission denied" in error.message
    assert system_fault(OSError(28, "No space left on device")).code == "error"
