"""What a look-up says at a terminal: the verdict, the advice, and what came nearest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.surfaces.cli.command_line import CommandLine
from tests.surfaces.cli.test_terminal import on_a_terminal, screen_of

NONSENSE = ("zxqw vbnm", "--mode", "vector")  # below every threshold of the test embedder


def test_the_advice_is_printed_once_with_yes_or_no_before_it(shelf: CommandLine):
    for words in (("how long are backups kept?",), NONSENSE):
        ran = shelf("lookup", *words)
        advice = shelf("lookup", *words, "--json").json["retry"]
        word = "yes" if advice["should_retry"] else "no"
        assert ran.out.splitlines()[1] == f"Retry: {word}. {advice['hint']}"
        assert "need to ask" not in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-k", 1), "The one piece found does not fit the budget of 1 token."),
        (("-k", 2), "None of the 2 pieces found fits the budget of 1 token."),
    ],
)
def test_a_budget_without_room_is_told_in_the_number_that_was_found(
    shelf: CommandLine, words: tuple[object, ...], said: str
):
    assert said in shelf("lookup", "backups kept", "--budget", 1, *words).out


@pytest.mark.scenario("cli", "Nothing fits the question")
def test_what_only_came_nearest_is_headed_so_and_faint(shelf: CommandLine, shelf_uri: Path):
    out = shelf("lookup", *NONSENSE).out
    assert out.startswith("Relevance none")
    assert out.index("What came nearest:\n[1] ") > out.index("Retry: ")
    screen = screen_of(80, "lookup", *NONSENSE, "--store", shelf_uri)
    bars = [line for line in screen.split("\n") if "░" in line or "█" in line]
    assert bars
    assert all(line.startswith("\x1b[2m[") for line in bars)
    assert not any("\x1b[32m" in line for line in bars)
    assert "What came nearest:" not in shelf("lookup", "how long are backups kept?").out


@pytest.mark.scenario("cli", "Nothing fits the question")
def test_a_context_block_that_does_not_fit_comes_with_a_verdict_beside_it(shelf: CommandLine):
    ran = shelf("lookup", *NONSENSE, "--context")
    assert ran.err.startswith("Relevance none")
    assert len(ran.err.splitlines()) == 1
    assert ran.out.rstrip("\n") == shelf("lookup", *NONSENSE, "--json").json["context"].rstrip("\n")
    assert shelf("lookup", "how long are backups kept?", "--context").err == ""


def test_a_look_up_fits_a_terminal_and_names_no_cursor(shelf_uri: Path):
    for words in (("how long are backups kept?", "-k", 2), NONSENSE):
        lines = on_a_terminal(80, "lookup", *words, "--store", shelf_uri)
        assert max(map(len, lines)) <= 80
        assert not any("--cursor e" in line for line in lines)
    assert "more: --cursor with the next_cursor that --json prints" in on_a_terminal(
        80, "lookup", "how long are backups kept?", "-k", 2, "--store", shelf_uri
    )


def test_a_mode_of_one_channel_is_told_once(shelf: CommandLine):
    out = shelf("search", "zxqw", "--mode", "lexical").out
    assert "\nlexical: 0 candidates; " in f"\n{out}"
    assert "vector" not in out
    assert "hybrid; lexical: " in shelf("search", "backups").out


@pytest.mark.scenario("cli", "Documents of one path")
def test_documents_of_one_path_are_told_apart_and_each_can_be_fetched(
    cli: CommandLine, tmp_path: Path
):
    text = "# Backups\n\nBackups are kept for 14 days.\n"
    for about in (("--source", "wiki"), ("--source", "ops"), ("--source", "ops", "--tenant", "a")):
        cli("ingest", "-", "--name", "backups.md", *about, stdin=text)
    for command in ("lookup", "search"):
        out = cli(command, "how long are backups kept?").out
        for origin in ("source wiki", "source ops", "source ops, tenant a"):
            assert f"backups.md#L1-L3 ({origin})" in out, command
    refused = cli("fetch", "span", "backups.md#L1-L3", "--json").error
    assert "source ops, tenant a" in refused["message"]
    assert "fetch with source and tenant" in refused["hint"]
    for which in (("--source", "wiki"), ("--source", "ops", "--tenant", ""), ("--tenant", "a")):
        found = cli("fetch", "span", "backups.md#L1-L3", *which, "--json").json
        assert found["source"] == ("wiki" if "wiki" in which else "ops")
        assert found["text"] == text
