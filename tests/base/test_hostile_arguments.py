"""Whatever Python can hand in, a base, the evidence chain and ``open`` raise their own errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import rag
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidArgumentError, RagError
from rag.errors.rag_error import in_words
from rag.settings import Settings, load_settings
from rag.tool import EvidenceChain, ForeignHit


class Unspeakable:
    """An object that raises where it should say what it is."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    __str__ = __repr__


def deep(levels: int = 5_000) -> list[Any]:
    """Return a list in a list, deeper than Python's calls go."""
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


VALUES: dict[str, Any] = {
    "None": None, "5": 5, "-1": -1, "1.5": 1.5, "nan": float("nan"), "inf": float("inf"),
    "huge": 10**5_000, "true": True, "bytes": b"\xff", "empty": "", "surrogate": "\ud800",
    "NUL": "\0", "long": "x" * 5_000, "nested": [[["a"]]], "deep": deep(), "list": [None],
    "tuple": (), "set": {1}, "object": object(), "unspeakable": Unspeakable(), "class": int,
    "function": len, "dict": {"a": 1}, "dict of such": {Unspeakable(): 1},
    "deep query": {"query": deep()}, "odd query": {"query": Unspeakable()},
}  # fmt: skip


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(
        store={"uri": str(tmp_path_factory.mktemp("hostile") / "base")},
        embedding={"embedder": "hashing", "cache": False},
    )


@pytest.fixture(scope="module")
def base(here: Settings) -> Iterator[KnowledgeBase]:
    with rag.open(here) as opened:
        opened.ingest_text("# Walrus\n\nwalruses sleep", name="walrus.md")
        yield opened


Call = Callable[[KnowledgeBase, Any], object]


def option(method: str, name: str, /, *first: Any, **others: Any) -> Call:
    return lambda base, value: getattr(base, method)(*first, **others, **{name: value})


ABOUT = ("source", "tenant", "tags", "trust", "source_type")
CALLS: dict[str, Call] = {
    "ingest": lambda base, v: base.ingest(v),
    **{f"ingest {name}": option("ingest", name, "nowhere") for name in (*ABOUT, "force")},
    "ingest_text": lambda base, v: base.ingest_text(v, name="a.md"),
    "ingest_text name": lambda base, v: base.ingest_text("text", name=v),
    **{f"ingest_text {name}": option("ingest_text", name, "text", name="a.md") for name in ABOUT},
    "search": lambda base, v: base.search(v),
    **{
        f"search {name}": option("search", name, "walrus")
        for name in (
            "mode", "k", "filters", "cursor", "snippet_chars", "max_tokens", "trace", "deadline_s",
            "colour",
        )
    },
    **{
        f"filter {key}": lambda base, v, key=key: base.search("walrus", filters={key: v})
        for key in ("tags", "media", "trust_min", "tenant", "path_glob", "indexed_after", "colour")
    },
    "search_many": lambda base, v: base.search_many(v),
    "search_many of it": lambda base, v: base.search_many([v]),
    "search_many k": lambda base, v: base.search_many([{"query": "walrus", "k": v}]),
    "lookup": lambda base, v: base.lookup(v),
    **{
        f"lookup {name}": option("lookup", name, "walrus")
        for name in (
            "k", "mode", "filters", "budget_tokens", "min_quality", "cursor", "session_id",
            "attempt", "seen_chunk_ids", "deadline_s",
        )
    },
    "lookup_many": lambda base, v: base.lookup_many(v),
    "lookup_many of it": lambda base, v: base.lookup_many([v]),
    "lookup_many k": lambda base, v: base.lookup_many(["walrus"], k=v),
    "documents": lambda base, v: base.documents(v),
    "list_documents": lambda base, v: base.list_documents(v),
    "list limit": lambda base, v: base.list_documents(limit=v),
    "list offset": lambda base, v: base.list_documents(offset=v),
    "fetch": lambda base, v: base.fetch(v),
    "fetch kind": lambda base, v: base.fetch({"kind": v, "name": "walrus.md"}),
    "fetch_chunk": lambda base, v: base.fetch_chunk(v),
    "fetch_chunk context": lambda base, v: base.fetch_chunk("x", context=v),
    "fetch_document": lambda base, v: base.fetch_document(v),
    "fetch_document max_tokens": lambda base, v: base.fetch_document("walrus.md", max_tokens=v),
    "fetch_span": lambda base, v: base.fetch_span(v),
    "fetch_span start": lambda base, v: base.fetch_span("walrus.md", v),
    "fetch_span end": lambda base, v: base.fetch_span("walrus.md", 1, v),
    "inspect_document": lambda base, v: base.inspect_document(v),
    "inspect_chunk": lambda base, v: base.inspect_chunk(v),
    "delete": lambda base, v: base.delete(v),
    "reset source": lambda base, v: base.reset(source=v),
    "reset confirm": lambda base, v: base.reset(confirm=v) if v is not True else None,
}  # fmt: skip


def holds(call: Callable[[Any], object]) -> None:
    """Make a call with every value: it answers, or raises an error that says all there is."""
    for name, value in VALUES.items():
        try:
            call(value)
        except RagError as error:
            wire = error.to_wire()
            assert wire["code"], name
            assert wire["allowed"], name
            assert wire["hint"], name


@pytest.mark.scenario("lookup-tool", "Anything that Python can hand in")
@pytest.mark.parametrize("call", CALLS)
def test_a_base_raises_its_own_errors_alone(base: KnowledgeBase, call: str):
    holds(lambda value: CALLS[call](base, value))


def test_what_is_no_text_is_never_taken_for_one(base: KnowledgeBase, tmp_path: Path):
    for call in ("ingest", "search", "inspect_document", "inspect_chunk", "delete", "lookup_many"):
        for name in ("None", "5", "huge", "bytes", "object", "unspeakable", "nested"):
            if (call, name) == ("lookup_many", "nested"):
                continue  # a list with one question at fault, which is told in its answer
            with pytest.raises(InvalidArgumentError):
                CALLS[call](base, VALUES[name])
    for value in (5, b"base", ["base"], 1.5, Unspeakable()):
        with pytest.raises(InvalidArgumentError, match="a base is opened by"):
            rag.open(value)  # type: ignore[arg-type]  # which is the point


HIT = ForeignHit(text="walruses sleep", score=0.5)


def test_the_evidence_chain_raises_its_own_errors_alone(here: Settings):
    chain = EvidenceChain(here)
    holds(lambda v: EvidenceChain(v))
    holds(lambda v: chain.judge(v, score_kind="cosine"))
    holds(lambda v: chain.judge([v], score_kind="cosine"))
    holds(lambda v: chain.judge([HIT], score_kind=v))
    holds(lambda v: chain.judge([HIT], score_kind="cosine", min_quality=v))
    holds(lambda v: chain.lookup(v, [HIT], score_kind="rank"))
    holds(lambda v: chain.lookup("walrus", [HIT], score_kind="rank", budget_tokens=v))
    for field in fields(ForeignHit):
        holds(lambda v, n=field.name: chain.judge([replace(HIT, **{n: v})], score_kind="cosine"))


@pytest.mark.parametrize("name", VALUES)
def test_any_value_can_be_said_in_words(name: str):
    said = in_words(VALUES[name], limit=80)
    assert 0 < len(said) <= 80
    given = InvalidArgumentError("no", given=VALUES[name]).to_wire()["given"]
    assert given is None if name == "None" else isinstance(given, str)
