"""Settings come from a file, the environment and arguments; a fault is named, never passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.errors import ConfigError, ReadonlyError
from rag.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_without_file_and_environment_the_defaults_hold():
    settings = load_settings()
    assert (settings.search.k, settings.search.rrf_k, settings.gate.max_attempts) == (10, 60, 3)


def test_arguments_win_over_the_environment_which_wins_over_the_file(
    monkeypatch: pytest.MonkeyPatch,
):
    Path("rag.toml").write_text("[search]\nk = 5\nrrf_k = 5\nsnippet_chars = 50\n", "utf-8")
    monkeypatch.setenv("RAG_SEARCH__K", "6")
    monkeypatch.setenv("RAG_SEARCH__RRF_K", "6")
    search = load_settings(search={"k": 7}).search
    assert (search.k, search.rrf_k, search.snippet_chars) == (7, 6, 50)


def test_a_named_file_takes_the_place_of_the_one_in_this_folder():
    Path("rag.toml").write_text("[search]\nk = 5\n", "utf-8")
    Path("other.toml").write_text("[search]\nrrf_k = 6\n", "utf-8")
    search = load_settings(Path("other.toml")).search
    assert (search.k, search.rrf_k) == (10, 6)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[serch]\nk = 5\n", "serch"),
        ("[search]\nkk = 5\n", "search.kk"),
        ("[search]\nk = 0\n", "search.k"),
        ("[search]\nk = 201\n", "search.k"),
        ('[search]\nmode = "fuzzy"\n', "search.mode"),
        ("[gate]\nlow = 0.9\n", "gate"),
        ("[chunking]\nmax_tokens = 100\n", "chunking"),
        ("[search\n", "rag.toml"),
    ],
)
def test_a_fault_in_the_file_is_an_error_that_names_it(text: str, named: str):
    Path("rag.toml").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert named in caught.value.message


def test_a_fault_between_settings_is_told_in_its_own_words():
    with pytest.raises(ConfigError) as caught:
        load_settings(gate={"high": 0.1, "medium": 0.9})
    assert caught.value.message == (
        "invalid settings: gate: thresholds must satisfy low <= medium <= high"
    )


def test_a_mistyped_variable_of_the_environment_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAG_SEARC__K", "5")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert caught.value.given == "RAG_SEARC__K"


def test_a_file_that_is_not_there_is_an_error_that_says_how_to_write_one():
    with pytest.raises(ConfigError) as caught:
        load_settings(Path("missing.toml"))
    assert caught.value.given == "missing.toml"
    assert "rag init" in str(caught.value.hint)


def test_a_token_is_never_shown():
    settings = load_settings(store={"token": "root:secret-word"})
    assert "secret-word" not in repr(settings)


def test_readonly_settings_refuse_a_write_and_say_how_to_allow_it():
    with pytest.raises(ReadonlyError) as caught:
        load_settings(readonly=True).require_writable("ingest")
    assert caught.value.exit_code == 1
    assert Settings().require_writable("ingest") is None


@pytest.mark.parametrize("uri", ["", "  ", "ftp://host", "htps://host:19530", "tcp://host:19530"])
def test_a_store_uri_that_names_neither_path_nor_server_is_refused(uri: str):
    with pytest.raises(ConfigError, match=r"store\.uri"):
        load_settings(store={"uri": uri})


@pytest.mark.parametrize("uri", ["./.rag", "kb.db", "a:b/c", "http://host:19530", "https://host"])
def test_a_store_uri_is_a_path_or_a_server(uri: str):
    assert load_settings(store={"uri": uri}).store.uri == uri
