"""Every kind of bad input: a typed error in Python, on the command line, and as JSON."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rag
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import RagError
from rag.stores.records import StoreQuery
from rag.wire import to_wire
from rag.wire.error_object import error_object
from tests.surfaces.cli.command_line import CommandLine, validator

LONG = "x" * 4_001

# code, arguments on the command line, the same call in Python
QUERIES: dict[str, tuple[str, tuple[object, ...], Callable[[KnowledgeBase], object]]] = {
    "empty query": ("empty_query", ("search", ""), lambda b: b.search("")),
    "blank query": ("empty_query", ("search", " \t\n"), lambda b: b.search(" \t\n")),
    "invisible query": ("empty_query", ("lookup", "\u200b"), lambda b: b.lookup("\u200b")),
    "long query": ("query_too_long", ("search", LONG), lambda b: b.search(LONG)),
    "long question": ("query_too_long", ("lookup", LONG), lambda b: b.lookup(LONG)),
    "k of 0": ("invalid_argument", ("search", "a", "-k", 0), lambda b: b.search("a", k=0)),
    "k of 201": ("invalid_argument", ("search", "a", "-k", 201), lambda b: b.search("a", k=201)),
    "lookup k of 0": ("invalid_argument", ("lookup", "a", "-k", 0), lambda b: b.lookup("a", k=0)),
    "mode": (
        "invalid_argument",
        ("search", "a", "--mode", "fuzzy"),
        lambda b: b.search("a", mode="fuzzy"),
    ),
    "trust": (
        "invalid_filter",
        ("search", "a", "--trust-min", "full"),
        lambda b: b.search("a", filters={"trust_min": "full"}),
    ),
    "time without offset": (
        "invalid_filter",
        ("search", "a", "--indexed-after", "2026-01-01T00:00:00"),
        lambda b: b.search("a", filters={"indexed_after": "2026-01-01T00:00:00"}),
    ),
    "time beyond the calendar": (
        "invalid_filter",
        ("search", "a", "--indexed-after", "9999-12-31T23:59:59-12:00"),
        lambda b: b.search("a", filters={"indexed_after": "9999-12-31T23:59:59-12:00"}),
    ),
    "no time": (
        "invalid_filter",
        ("list", "--indexed-after", "yesterday"),
        lambda b: b.list_documents({"indexed_after": "yesterday"}),
    ),
    "negative budget": (
        "invalid_argument",
        ("lookup", "a", "--budget=-1"),
        lambda b: b.lookup("a", budget_tokens=-1),
    ),
    "negative tokens": (
        "invalid_argument",
        ("search", "a", "--max-tokens=-1"),
        lambda b: b.search("a", max_tokens=-1),
    ),
    "snippet of 19": (
        "invalid_argument",
        ("search", "a", "--snippet-chars", 19),
        lambda b: b.search("a", snippet_chars=19),
    ),
    "cursor": (
        "invalid_cursor",
        ("search", "a", "--cursor", "nonsense"),
        lambda b: b.search("a", cursor="nonsense"),
    ),
    "quality of 2.5": (
        "invalid_argument",
        ("lookup", "a", "--min-quality", 2.5),
        lambda b: b.lookup("a", min_quality=2.5),
    ),
    "unknown document": (
        "document_not_found",
        ("fetch", "document", "nope.md"),
        lambda b: b.fetch_document("nope.md"),
    ),
    "unknown chunk": (
        "chunk_not_found",
        ("fetch", "chunk", "nope"),
        lambda b: b.fetch_chunk("nope"),
    ),
    "inspected chunk": (
        "chunk_not_found",
        ("inspect", "chunk", "nope"),
        lambda b: b.inspect_chunk("nope"),
    ),
    "inspected document": (
        "document_not_found",
        ("inspect", "nope.md"),
        lambda b: b.inspect_document("nope.md"),
    ),
    "span turned round": (
        "invalid_argument",
        ("fetch", "span", "backups.md", 9, 3),
        lambda b: b.fetch_span("backups.md", 9, 3),
    ),
    "span from 0": (
        "invalid_argument",
        ("fetch", "span", "backups.md", 0, 3),
        lambda b: b.fetch_span("backups.md", 0, 3),
    ),
    "span beyond": (
        "invalid_argument",
        ("fetch", "span", "backups.md", 9_999),
        lambda b: b.fetch_span("backups.md", 9_999),
    ),
    "pages of lines": (
        "invalid_argument",
        ("fetch", "span", "backups.md#p=1"),
        lambda b: b.fetch_span("backups.md#p=1"),
    ),
    "context of 51": (
        "invalid_argument",
        ("fetch", "chunk", "nope", "--context", 51),
        lambda b: b.fetch_chunk("nope", context=51),
    ),
    "negative limit": (
        "invalid_argument",
        ("list", "--limit=-1"),
        lambda b: b.list_documents(limit=-1),
    ),
    "unknown document to delete": (
        "document_not_found",
        ("delete", "nope.md"),
        lambda b: b.delete("nope.md"),
    ),
    "unknown source to reset": (
        "not_found",
        ("reset", "--source", "nope", "--yes"),
        lambda b: b.reset(source="nope", confirm=True),
    ),
    "missing path": (
        "path_not_found",
        ("ingest", "no/such/folder"),
        lambda b: b.ingest("no/such/folder"),
    ),
    "source name": (
        "invalid_argument",
        ("ingest", ".", "--source", "a b"),
        lambda b: b.ingest(".", source="a b"),
    ),
    "trust of an ingest": (
        "invalid_argument",
        ("ingest", ".", "--trust", "full"),
        lambda b: b.ingest(".", trust="full"),
    ),
}


@pytest.fixture(scope="module")
def base(shelf_uri: Path) -> Iterator[KnowledgeBase]:
    settings = rag.load_settings(
        store={"uri": str(shelf_uri)}, embedding={"embedder": "hashing", "cache": False}
    )
    with rag.open(settings, create=False) as opened:
        yield opened


@pytest.mark.scenario("cli", "A blank query")
@pytest.mark.scenario("cli", "An error as JSON")
@pytest.mark.parametrize("case", QUERIES)
def test_bad_input_is_a_typed_error_everywhere(case: str, base: KnowledgeBase, shelf: CommandLine):
    code, arguments, call = QUERIES[case]
    with pytest.raises(RagError) as raised:
        call(base)
    in_python = to_wire(error_object(raised.value))
    validator("error.v1").validate(in_python)
    assert in_python["code"] == code
    assert in_python["allowed"] or in_python["hint"]

    for_people = shelf(*arguments)
    assert (for_people.code, for_people.out) == (2, "")
    assert for_people.err.startswith("error: ")
    assert for_people.err.rstrip().endswith(f"code: {code}")
    assert "Traceback" not in for_people.err

    for_programs = shelf(*arguments, "--json")
    assert for_programs.code == 2
    assert for_programs.error == in_python


@pytest.mark.parametrize(
    "filters", [{"colour": "red"}, {"lang": 5}, {"tags": [1]}, {"tenant": ["a"]}, ["lang"], "lang"]
)
def test_a_filter_key_or_type_is_refused_by_name(filters: Any, base: KnowledgeBase):
    for call in (base.search, base.lookup):
        with pytest.raises(RagError) as raised:
            call("a", filters=filters)
        assert raised.value.code in ("invalid_filter", "invalid_argument")
        assert raised.value.allowed


PARSER_FAULTS = [
    ("search", "a", "--lang"),
    ("search", "a", "-k", "ten"),
    ("search", "a", "--colour", "red"),
    ("search",),
    ("lookup",),
    ("fetch", "page", "x"),
    ("fetch", "chunk", "x", "1"),
    ("fetch", "chunk", "x", "--max-tokens", "5"),
    ("fetch", "document", "x", "--context", "1"),
    ("fetch", "span", "backups.md"),
    ("inspect", "page", "x"),
    ("copy", "--from", "a"),
    ("ingest", "-"),
    ("ingest", ".", "--name", "a.md"),
    ("schema", "nonsense.v1"),
    ("nonsense",),
]


@pytest.mark.scenario("cli", "An unknown command")
@pytest.mark.parametrize("arguments", PARSER_FAULTS, ids=" ".join)
def test_a_command_line_that_cannot_be_read_is_an_error_too(
    shelf: CommandLine, arguments: tuple[str, ...]
):
    ran = shelf(*arguments, "--json")
    assert ran.code == 2
    error = ran.error
    assert error["code"] == "invalid_argument"
    assert error["hint"] or error["allowed"]


@pytest.mark.scenario("cli", "A file that cannot be read")
@pytest.mark.parametrize(
    ("name", "data"),
    [("damaged.pdf", b"%PDF-1.7 \x00 nothing"), ("empty.md", b""), ("binary.md", b"\0\1\2" * 99)],
)
def test_a_named_file_that_cannot_be_stored_is_an_error(
    cli: CommandLine, tmp_path: Path, name: str, data: bytes
):
    (tmp_path / name).write_bytes(data)
    ran = cli("ingest", name, "--json")
    assert ran.code == 2
    assert ran.error["code"] == "unreadable_file"
    assert cli("list", "--json").json["total"] == 0
    piped = cli("ingest", "-", "--name", name, "--json", stdin=data)
    assert piped.error["code"] == "unreadable_file"


def test_a_folder_where_a_settings_file_is_expected(cli: CommandLine, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    error = cli("list", "--config", "folder", "--json").error
    assert error["code"] == "config_invalid"


@pytest.mark.parametrize(
    "text", ["search = 5", "[search]\nk = 0", "[search]\nkk = 1", "not toml", "[nonsense]\na = 1"]
)
def test_a_faulty_settings_file_is_named(cli: CommandLine, tmp_path: Path, text: str):
    (tmp_path / "rag.toml").write_text(text)
    error = cli("search", "a", "--json").error
    assert error["code"] == "config_invalid"
    assert error["given"]


@pytest.mark.parametrize("store", ["local", "milvus.db"])
def test_a_store_that_is_not_there_is_not_made_by_reading(
    cli: CommandLine, tmp_path: Path, store: str
):
    for command in (("search", "a"), ("lookup", "a"), ("list",), ("schema",), ("delete", "x")):
        assert cli.at(store)(*command, "--json").error["code"] == "store_not_initialised"
    assert not (tmp_path / store).exists()


@pytest.mark.scenario("cli", "Something else at the store's path")
@pytest.mark.parametrize(
    ("name", "kind"), [("thing", "file"), ("thing.db", "file"), ("thing.db", "folder")]
)
def test_what_is_no_store_of_ours_is_left_alone(
    cli: CommandLine, notes: Path, tmp_path: Path, name: str, kind: str
):
    path = tmp_path / name
    if kind == "file":
        path.write_text("precious")
    else:
        path.mkdir()
        (path / "thesis.txt").write_text("precious")
    for command in (("search", "a"), ("ingest", notes)):
        ran = cli.at(path)(*command, "--json")
        assert ran.code == 2
        error = ran.error
        assert error["code"] in ("store_damaged", "store_not_initialised")
        assert error["hint"]
    kept = path if kind == "file" else path / "thesis.txt"
    assert kept.read_text() == "precious"


def test_a_damaged_local_store_is_an_error_and_is_not_touched(
    cli: CommandLine, notes: Path, tmp_path: Path
):
    file = tmp_path / "base" / "rag.sqlite"
    file.parent.mkdir()
    file.write_bytes(b"garbage" * 1_000)
    for command in (("search", "tea"), ("ingest", notes), ("list",)):
        ran = cli.at("base")(*command, "--json")
        assert ran.code == 2
        assert ran.error["code"] == "store_damaged"
        assert ran.error["hint"]
    assert file.read_bytes() == b"garbage" * 1_000


@pytest.mark.scenario("cli", "A server that is not there")
def test_a_server_that_does_not_answer_is_an_error_within_seconds(cli: CommandLine):
    started = time.monotonic()
    error = cli.at("http://127.0.0.1:1")("search", "a", "--json").error
    assert time.monotonic() - started < 10
    assert error["code"] == "store_unreachable"
    assert "127.0.0.1:1" in error["message"]


HOLDER = """
import sys, rag
settings = rag.load_settings(
    store={"uri": sys.argv[1]}, embedding={"embedder": "hashing", "cache": False}
)
base = rag.open(settings)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.scenario("cli", "A locked store")
def test_a_milvus_lite_path_that_another_process_holds_is_an_error(
    cli: CommandLine, tmp_path: Path
):
    path = tmp_path / "held.db"
    root = Path(__file__).resolve().parents[3]
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert holder.stdin
    assert holder.stdout
    try:
        assert holder.stdout.readline() == "held\n"
        error = cli.at(path)("search", "a", "--json").error
        assert error["code"] == "store_locked"
        assert str(path) in error["message"]
        assert "delete" not in error["hint"]
        report = cli.at(path)("doctor", "--json")
        assert report.code == 3
        assert [c["name"] for c in report.json["checks"] if not c["ok"]] == ["lock"]
    finally:
        holder.stdin.close()
        holder.wait(30)


@pytest.mark.scenario("cli", "An index of another embedder")
@pytest.mark.parametrize("store", ["local", "milvus.db"])
def test_an_index_of_another_embedder_or_analyser_is_refused_naming_both(
    cli: CommandLine, notes: Path, store: str, monkeypatch: pytest.MonkeyPatch
):
    at = cli.at(store)
    assert at("ingest", notes).code == 0
    error = at("search", "tea", "--embedder", "minilm", "--json").error
    assert error["code"] == "index_identity_mismatch"
    assert "hashing" in error["message"]
    assert "MiniLM" in error["message"]
    (notes / "new.md").write_text("# New\n\nA page without a vector.\n")
    error = at("ingest", notes, "--embedder", "none", "--json").error
    assert error["code"] == "index_identity_mismatch"
    monkeypatch.setenv("RAG_TEXT__STEMMER", "german")
    error = at("search", "tea", "--json").error
    assert error["code"] == "index_identity_mismatch"
    assert "german" in error["message"]
    assert "english" in error["message"]


def test_a_query_vector_of_another_length_is_refused(base: KnowledgeBase):
    with pytest.raises(RagError) as raised:
        base.parts.store.search(StoreQuery(text="a", vector=np.ones(7, np.float32)))
    assert raised.value.code == "embedding_dimension"


def test_vector_search_without_an_embedder_says_what_to_do(shelf: CommandLine):
    error = shelf("search", "a", "--mode", "vector", "--embedder", "none", "--json").error
    assert error["code"] == "invalid_argument"
    assert "lexical" in error["allowed"]


def test_a_setting_at_fault_is_told_with_what_it_takes_and_what_was_given(cli: CommandLine):
    ran = cli("list", "--embedder", "foo")
    assert ran.code == 2
    assert "'embedding.embedder' must be one of: minilm, onnx, openai, " in ran.err
    assert "; got 'foo'\n" in ran.err
    assert "Input should be" not in ran.err
    assert ran.err.splitlines()[-2].endswith("rag init")  # which works anywhere
