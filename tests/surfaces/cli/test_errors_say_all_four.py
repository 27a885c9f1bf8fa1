"""Every error says what was given, what is allowed and what to do, on each surface."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rag import errors
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidFilterError, RagError, StoreLockedError
from rag.errors.rag_error import in_words
from rag.settings import load_settings
from rag.stores.filters import parse_filter
from tests.surfaces.cli.command_line import CommandLine
from tests.surfaces.cli.test_bad_input import QUERIES, base

__all__ = ["base"]  # a fixture

# so ``given`` may be null
NOTHING_GIVEN = {"no query": ("search",), "no document": ("fetch",), "neither": ("calibrate",)}
LINES: dict[str, tuple[object, ...]] = {
    **{name: words for name, (_, words, _) in QUERIES.items()},
    **NOTHING_GIVEN,
    "unknown option": ("search", "a", "--langg", "en"),
    "unknown command": ("serch", "a"),
    "option before the command": ("--json", "serch"),
    "no number": ("search", "a", "-k", "many"),
    "unknown embedder": ("search", "a", "--embedder", "nope"),
    "unknown setting file": ("search", "a", "--config", "nothing.toml"),
    "a scheme that no store has": ("search", "a", "--store", "ftp://there"),
    "an address that is none": ("lookup", "a", "--store", "http://[bad"),
    "a port that is none": ("lookup", "a", "--store", "http://there:99999"),
    "no base yet": ("search", "a", "--store", "nowhere"),
    "no Milvus Lite yet": ("search", "a", "--store", "nowhere.db"),
    "a reset not confirmed": ("reset",),
    "a reset of a source not confirmed": ("reset", "--source", "default"),
    "a write while read-only": ("reset", "--yes", "--readonly"),
    "span turned round in a citation": ("fetch", "span", "backups.md#L9-L3"),
    "an end without a start": ("fetch", "document", "backups.md", "--max-tokens=-1"),
    "a filter's media": ("search", "a", "--media", "papyrus"),
    "no golden file": ("eval", "nothing.jsonl"),
    "no budget list": ("eval", "nothing.jsonl", "--budget", "much"),
    "no report": ("eval", "compare", "a.json", "b.json"),
    "one report": ("eval", "compare", "a.json"),
    "a copy onto itself": ("copy", "--from", "a", "--to", "a"),
    "a copy to no store": ("copy", "--from", "a", "--to", "http://[bad"),
    "no folder to watch": ("watch", "nothing"),
    "no folder to serve": ("mcp", "--root", "nothing"),
    "bulk beside a query": ("search", "a", "--bulk"),
    "an unknown schema": ("schema", "nothing.v9"),
}


def is_whole(error: dict[str, object], *, given: bool) -> None:
    assert error["code"]
    assert error["given"] is not None or not given
    assert error["allowed"]
    assert error["hint"]


@pytest.mark.scenario("cli", "An error says all four")
@pytest.mark.parametrize("case", LINES)
def test_an_error_on_the_command_line_says_all_four(
    case: str, shelf: CommandLine, cli: CommandLine
):
    words = LINES[case]
    ran = (cli if "--store" in words else shelf)(*words, "--json")
    assert ran.code in (1, 2)
    is_whole(ran.error, given=case not in NOTHING_GIVEN)


@pytest.mark.scenario("cli", "An error says all four")
@pytest.mark.parametrize("case", QUERIES)
def test_an_error_in_python_says_all_four(case: str, base: KnowledgeBase):
    call: Callable[[KnowledgeBase], object] = QUERIES[case][2]
    with pytest.raises(RagError) as raised:
        call(base)
    is_whole(raised.value.to_wire(), given=True)


def test_every_kind_of_error_has_something_to_say_where_nobody_knew_better():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert RagError in kinds
    for kind in kinds:
        error = kind("something went wrong")
        assert error.hint == kind.usual_hint
        assert error.allowed == kind.usual_allowed
        assert kind("no", hint="do this", allowed="that").hint == "do this"
    assert "try again" in (StoreLockedError("held").hint or "")


def test_the_nearest_name_is_told():
    with pytest.raises(InvalidFilterError) as raised:
        parse_filter({"langs": "en"})
    assert raised.value.hint == "did you mean 'lang'?"
    with pytest.raises(RagError) as raised_too:
        load_settings(embedding={"embedder": "minilmm"})
    assert "did you mean 'minilm'?" in (raised_too.value.hint or "")
    assert raised_too.value.given == "embedding.embedder = 'minilmm'"
    assert raised_too.value.details == {"settings": ["embedding.embedder"]}


@pytest.mark.parametrize(
    "settings",
    [
        {"store": {"token": ["hunter2"]}},
        {"store": {"tokn": "hunter2"}},
        {"store": {"uri": "http://me:hunter2@[bad"}},
        {"server": {"keys": [{"name": "a", "sha256": "hunter2"}]}},
    ],
)
def test_what_may_be_a_secret_is_not_told(settings: dict[str, dict[str, object]]):
    with pytest.raises(RagError) as raised:
        load_settings(**settings)
    assert "hunter2" not in json.dumps(raised.value.to_wire())


@pytest.mark.parametrize("line", [b'{"query": "caf\xe9"}', b"\xff\xfe{\x00}\x00"])
def test_a_line_that_is_not_utf8_is_an_error_of_that_line_alone(shelf: CommandLine, line: bytes):
    ran = shelf("search", "--bulk", stdin=b'{"query": "backups"}\n' + line + b"\n")
    good, bad = ran.lines[:2]
    assert (good["error"], bad["response"]) == (None, None)
    assert bad["error"]["code"] == "invalid_argument"
    assert "not UTF-8" in bad["error"]["message"]
    is_whole(bad["error"], given=True)


def test_the_address_of_an_embedder_is_looked_at_before_it_is_asked(
    shelf: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RAG_EMBEDDING__EMBEDDER", "openai")
    monkeypatch.setenv("RAG_EMBEDDING__MODEL", "any")
    for address in (
        "http://[bad",
        "http://there:99999/v1",
        "http://there:port",
        "there",
        "http://",
    ):
        monkeypatch.setenv("RAG_EMBEDDING__BASE_URL", address)
        error = shelf("lookup", "a", "--json").error
        assert error["code"] == "config_invalid"
        is_whole(error, given=True)


def test_a_value_too_long_is_cut():
    assert in_words("x" * 300, limit=80) == "'" + "x" * 78 + "…"
