"""Doctor, delete, reset, copy, init, quickstart, and the promise of --readonly."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from rag.surfaces.cli.app import run
from tests.surfaces.cli.command_line import CommandLine


def names(report: dict[str, object], *, ok: bool) -> list[str]:
    checks = report["checks"]
    assert isinstance(checks, list)
    return [check["name"] for check in checks if check["ok"] is ok]


@pytest.mark.scenario("cli", "A healthy base")
@pytest.mark.parametrize("store", ["base", "base.db"])
def test_a_healthy_base(cli: CommandLine, notes: Path, store: str):
    cli.at(store)("ingest", notes)
    ran = cli.at(store)("doctor", "--json")
    assert (ran.code, ran.json["ok"]) == (0, True)
    assert {"version", "settings", "folder", "disk", "store", "catalogue", "embedder", "search"} < (
        set(names(ran.json, ok=True))
    )
    assert all(check["hint"] is None for check in ran.json["checks"])


@pytest.mark.scenario("cli", "No base yet")
def test_a_base_that_is_not_there_is_unhealthy_and_is_not_made(cli: CommandLine, tmp_path: Path):
    ran = cli("doctor", "--json")
    assert ran.code == 3
    assert names(ran.json, ok=False) == ["store"]
    assert "rag ingest" in ran.json["checks"][-1]["hint"]
    assert not (tmp_path / ".rag").exists()


@pytest.mark.scenario("cli", "Doctor with another embedder")
def test_the_index_is_examined_even_where_the_embedder_is_at_fault(
    cli: CommandLine, notes: Path, monkeypatch: pytest.MonkeyPatch
):
    cli("ingest", notes)
    ran = cli("doctor", "--embedder", "minilm", "--json")
    assert ran.code == 3
    assert names(ran.json, ok=False) == ["identity"]
    assert {"store", "catalogue", "search"} < set(names(ran.json, ok=True))
    ran = cli("doctor", "--embedder", "openai", "--json")
    assert ran.code == 3
    assert names(ran.json, ok=False) in (["embedder"], ["store"], ["settings"])
    monkeypatch.setenv("RAG_SEARCH__K", "0")
    ran = cli("doctor", "--json")
    assert ran.code == 3
    assert names(ran.json, ok=False) == ["settings"]


def test_a_fault_is_shown_with_what_to_do(cli: CommandLine):
    out = cli("doctor").out
    assert "FAULT   store: there is no index" in out
    assert "→ ingest something first" in out
    assert out.endswith("checks found a fault\n")


@pytest.mark.scenario("cli", "Every write is refused")
@pytest.mark.parametrize(
    "arguments",
    [
        ("ingest", "notes"),
        ("ingest", "-", "--name", "a.md"),
        ("delete", "tea.md"),
        ("reset", "--yes"),
        ("doctor", "--repair"),
        ("quickstart", "elsewhere"),
        ("copy", "--from", "base", "--to", "other"),
    ],
    ids=" ".join,
)
def test_readonly_blocks_every_write(
    cli: CommandLine, notes: Path, tmp_path: Path, arguments: tuple[str, ...]
):
    at = cli.at("base")
    at("ingest", "notes")
    before = sorted(path for path in tmp_path.rglob("*") if "rag.sqlite-" not in path.name)
    revision = at("schema", "--json").json["store"]["revision"]
    run = cli if arguments[0] == "copy" else at  # which names its stores itself
    ran = run(*arguments, "--readonly", "--json", stdin="# A\n")
    assert ran.code == 1
    assert ran.error["code"] == "readonly"
    assert at("schema", "--json").json["store"]["revision"] == revision
    after = sorted(path for path in tmp_path.rglob("*") if "rag.sqlite-" not in path.name)
    assert after == before


def test_readonly_comes_from_the_environment_too(
    cli: CommandLine, notes: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RAG_READONLY", "true")
    assert cli("ingest", notes, "--json").error["code"] == "readonly"


def test_reading_works_readonly(shelf: CommandLine):
    for command in (("search", "a"), ("lookup", "a"), ("list",), ("schema",), ("doctor",)):
        assert shelf(*command, "--readonly", "--json").code == 0


@pytest.mark.scenario("cli", "Reset without a terminal")
def test_reset_needs_a_confirmation(cli: CommandLine, notes: Path):
    cli("ingest", notes)
    ran = cli("reset", "--json")
    assert ran.code == 1
    assert ran.error["code"] == "confirmation_required"
    assert "all 2 documents" in ran.error["message"]
    assert cli("list", "--json").json["total"] == 2
    report = cli("reset", "--yes", "--json").json
    assert (report["scope"], report["documents"], report["chunks"]) == ("base", 2, 2)
    assert cli("list", "--json").json["total"] == 0
    assert cli("search", "tea", "--json").json["index_empty"] is True


@pytest.mark.parametrize(("answer", "left"), [("y\n", 0), ("yes\n", 0), ("n\n", 2), ("", 2)])
def test_on_a_terminal_reset_asks(
    cli: CommandLine,
    notes: Path,
    answer: str,
    left: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    cli("ingest", notes)
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    code = run(["reset"])
    assert code == (0 if left == 0 else 1)
    assert "go on? [y/N]" in capsys.readouterr().err
    assert cli("list", "--json").json["total"] == left


@pytest.mark.scenario("cli", "One source reset")
def test_a_source_is_reset_alone_and_its_name_is_free_again(
    cli: CommandLine, notes: Path, tmp_path: Path
):
    cli("ingest", notes, "--source", "notes")
    cli("ingest", "-", "--name", "kept.md", stdin="# Kept\n\nThis stays.\n")
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# A\n\nAnother folder.\n")
    assert cli("ingest", other, "--source", "notes", "--json").error["code"] == "invalid_argument"
    report = cli("reset", "--source", "notes", "--yes", "--json").json
    assert (report["scope"], report["name"], report["documents"]) == ("source", "notes", 2)
    assert [d["uri"] for d in cli("list", "--json").json["documents"]] == ["kept.md"]
    assert cli("ingest", other, "--source", "notes", "--json").json["new"] == 1


def test_a_deleted_document_is_gone_until_its_file_is_ingested_again(cli: CommandLine, notes: Path):
    cli("ingest", notes)
    report = cli("delete", "tea.md", "--json").json
    assert (report["scope"], report["name"], report["chunks"]) == ("document", "tea.md", 1)
    assert cli("search", "steeps", "--mode", "lexical", "--json").json["hits"] == []
    assert cli("ingest", notes, "--json").json["new"] == 1


@pytest.mark.scenario("cli", "To another store and back")
def test_a_base_is_copied_to_milvus_and_back_with_equal_lists_and_hits(
    cli: CommandLine, notes: Path, shelf_uri: Path
):
    report = cli("copy", "--from", shelf_uri, "--to", "there.db", "--json").json
    assert report["copied"] == report["documents"] == 8
    assert report["chunks_copied"] == report["vectors_copied"] == 18
    assert cli("copy", "--from", "there.db", "--to", "back", "--json").json["copied"] == 8
    again = cli("copy", "--from", "there.db", "--to", "back", "--json").json
    assert (again["copied"], again["unchanged"], again["chunks_copied"]) == (0, 8, 0)
    first, there, back = (
        cli.at(store)("list", "--json").json for store in (shelf_uri, "there.db", "back")
    )
    assert first == there == back
    hits = [
        cli.at(store)("search", "how long are backups kept", "--json").json["hits"]
        for store in (shelf_uri, "back")
    ]
    assert hits[0] == hits[1]
    assert cli.at("back")("doctor").code == 0
    assert (
        cli.at("back")("schema", "--json").json["sources"]
        == (cli.at(shelf_uri)("schema", "--json").json["sources"])
    )
    said = cli("copy", "--from", "there.db", "--to", "back")
    assert "8 documents in" in said.out
    assert said.err == "found 8 documents\n"


@pytest.mark.scenario("cli", "A copy onto itself")
def test_a_copy_needs_two_places_and_a_source(cli: CommandLine, notes: Path, tmp_path: Path):
    cli.at("base")("ingest", notes)
    here = tmp_path / "base"
    assert cli("copy", "--from", "base", "--to", here, "--json").error["code"] == (
        "invalid_argument"
    )
    missing = cli("copy", "--from", "nowhere", "--to", "x", "--json").error
    assert missing["code"] == "store_not_initialised"
    assert not (tmp_path / "x").exists()


def test_init_writes_a_settings_file_that_changes_nothing(cli: CommandLine, tmp_path: Path):
    assert cli("init", "--json").json["path"] == "rag.toml"
    text = (tmp_path / "rag.toml").read_text("utf-8")
    assert "# uri = " in text
    assert cli("doctor", "--json").json["checks"][1] == {
        "name": "settings",
        "ok": True,
        "detail": "every setting is valid",
        "hint": None,
    }
    again = cli("init", "--json")
    assert (again.code, again.error["code"]) == (1, "confirmation_required")
    (tmp_path / "rag.toml").write_text("changed = true")
    assert cli("init", "--force").code == 0
    assert (tmp_path / "rag.toml").read_text("utf-8") == text
    assert cli("init", "--config", "a/b/c.toml").out == "wrote a/b/c.toml\n"


def test_init_says_why_it_cannot_write(cli: CommandLine, tmp_path: Path):
    (tmp_path / "file").write_text("")
    error = cli("init", "--config", "file/rag.toml", "--json").error
    assert error["code"] == "invalid_argument"


@pytest.mark.scenario("cli", "The quickstart")
def test_the_quickstart_builds_a_base_and_asks_it(cli: CommandLine, tmp_path: Path):
    report = cli("quickstart", "--json").json
    assert report["ingest"]["new"] == 8
    assert report["lookup"]["evidence"][0]["citation"]["uri"] == "backups.md"
    again = cli("quickstart")
    assert again.code == 0
    assert "8 files in" in again.out
    assert "8 unchanged" in again.out
    assert '$ rag lookup "How long are backups kept?" -k 3' in again.out
    assert str(tmp_path) not in again.out
    (tmp_path / "file").write_text("")
    assert cli("quickstart", "file", "--json").error["code"] == "invalid_argument"


@pytest.mark.scenario("cli", "An interrupted ingest")
def test_an_interrupted_command_says_that_what_was_written_is_kept(
    cli: CommandLine, notes: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rag.base.knowledge_base.KnowledgeBase.ingest", interrupted)
    ran = cli("ingest", notes, "--json")
    assert (ran.code, ran.out) == (130, "")
    assert ran.err == "interrupted; what was written is kept\n"
