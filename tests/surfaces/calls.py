"""The calls that every surface has to answer alike, each written once.

A call names an operation and the fields of its request. ``<...>`` stands for something of the
base that only an open base knows: ``<doc>`` and ``<chunk>`` are a stored document's and chunk's
id, ``<cursor>`` is where the first page of the same call ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

QUESTION = "How long are backups kept?"
LONG = "x" * 4_001
PYTHON, CLI, MCP, HTTP = "python", "cli", "mcp", "http"

NO_BATCH = {CLI: "a batch's several questions are searches by --bulk there, without a verdict"}
NO_TYPES = {CLI: "an option is a text, and a flag has no value"}
NO_KEYS = {CLI: "a filter key is an option, and what is no option is no filter either"}
NO_KINDS = {HTTP: "the address says the kind, so a field of another kind is an unknown option"}
NO_LIST = {MCP: "an agent searches; there is no tool that lists"}
NO_DESCRIPTION = {HTTP: "the service is described by OpenAPI, its health by /readyz"}
NO_CHUNK_PAGE = {MCP: "an agent fetches", HTTP: "a document is inspected with all its chunks"}
PYTHON_AND_CLI = {MCP: "asks one at a time", HTTP: "asks one at a time"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceCall:
    """One call; ``without`` says why a surface cannot be asked it."""

    operation: str
    fields: dict[str, Any] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)


def lookup(query: str = QUESTION, /, **fields: Any) -> SurfaceCall:
    """Return a look-up that counts itself, since MCP counts those that do not by session."""
    return SurfaceCall(operation="lookup", fields={"query": query, "attempt": 1, **fields})


def search(query: str = QUESTION, /, **fields: Any) -> SurfaceCall:
    return SurfaceCall(operation="search", fields={"query": query, **fields})


def batch(queries: Any, /, **fields: Any) -> SurfaceCall:
    return SurfaceCall(
        operation="batch", fields={"queries": queries, "attempt": 1, **fields}, without=NO_BATCH
    )


def fetch(kind: str, name: str, /, **fields: Any) -> SurfaceCall:
    return SurfaceCall(operation="fetch", fields={"kind": kind, "name": name, **fields})


def listed(**fields: Any) -> SurfaceCall:
    return SurfaceCall(operation="list", fields=fields, without=NO_LIST)


def but(call: SurfaceCall, without: dict[str, str]) -> SurfaceCall:
    """Return a call that some surfaces cannot be asked."""
    return SurfaceCall(
        operation=call.operation, fields=call.fields, without={**call.without, **without}
    )


FILTERS: dict[str, dict[str, Any]] = {
    "tags": {"tags": ["handbook", "none such"]},
    "media": {"media": ["rst", "html"]},
    "lang": {"lang": ["zh", "ko"]},
    "source": {"source": ["default"]},
    "source_type": {"source_type": ["note"]},
    "trust_min": {"trust_min": "secondary"},
    "tenant": {"tenant": "acme"},
    "path_prefix": {"path_prefix": "security/"},
    "path_glob": {"path_glob": "**/*.md"},
    "doc_id": {"doc_id": ["<doc>"]},
    "indexed_after": {"indexed_after": "2026-01-31T00:00:00+01:00"},
    "one value": {"lang": "en"},
    "two at once": {"lang": ["en"], "media": ["markdown"]},
}
MODES = ("hybrid", "vector", "dense", "lexical")

GOOD: dict[str, SurfaceCall] = {
    "a question": lookup(),
    "a question in Chinese": lookup("备份保留多久？"),
    "a question off the subject": lookup("zxqw vbnm"),
    "a question of marks alone": lookup("?!"),
    **{f"a question in mode {mode}": lookup(mode=mode) for mode in MODES},
    **{f"a question by {name}": lookup(filters=one) for name, one in FILTERS.items()},
    "a quality floor": lookup(min_quality=0.5),
    "a budget of nothing": lookup(budget_tokens=0),
    "a tiny budget": lookup(budget_tokens=30),
    "a middling budget": lookup(budget_tokens=200),
    "one hit": lookup(k=1),
    "the most hits": lookup(k=200, budget_tokens=1_500),
    "a second page of evidence": lookup(k=2, cursor="<cursor>"),
    "a third attempt": lookup(attempt=3, seen_chunk_ids=["<chunk>"]),
    "a generous deadline": lookup(deadline_s=60),
    "a batch": batch([QUESTION, "Who is on call?"], budget_tokens=400),
    "a batch with a question at fault": batch([QUESTION, " ", {"query": "keys", "k": 0}]),
    "a batch with options of all and of one": batch(
        [QUESTION, {"query": "keys", "mode": "lexical", "filters": None}],
        filters={"lang": ["en"]},
        k=2,
        mode="vector",
        min_quality=0.1,
    ),
    "a batch of seven": batch([f"{QUESTION} {n}" for n in range(7)], budget_tokens=800),
    "a search": search(),
    **{f"a search in mode {mode}": search(mode=mode) for mode in MODES},
    **{f"a search by {name}": search(filters=one) for name, one in FILTERS.items()},
    "a trace": search(trace=True),
    "a trace of one channel": search(trace=True, mode="lexical"),
    "short snippets": search(snippet_chars=20),
    "long snippets": search(snippet_chars=4_000),
    "a budget of hits": search(k=20, max_tokens=900),
    "a budget of no hit": search(max_tokens=0),
    "a second page": search(k=2, cursor="<cursor>"),
    "a second page by budget": search(k=20, max_tokens=900, cursor="<cursor>"),
    "a search with a deadline": search(deadline_s=60),
    "a search for nothing that is there": search("zxqw", mode="lexical"),
    "a chunk": fetch("chunk", "<chunk>"),
    "a chunk and its neighbours": fetch("chunk", "<chunk>", context=1),
    "a chunk and all its neighbours": fetch("chunk", "<chunk>", context=50),
    "a document": fetch("document", "<doc>"),
    "a document by its path": fetch("document", "backups.md"),
    "a document cut": fetch("document", "<doc>", max_tokens=40),
    "nothing of a document": fetch("document", "<doc>", max_tokens=0),
    "one line": fetch("span", "<doc>", start=3),
    "some lines": fetch("span", "<doc>", start=2, end=5),
    "lines beyond the end": fetch("span", "<doc>", start=2, end=1_000),
    "lines cut": fetch("span", "<doc>", start=1, end=9, max_tokens=20),
    "a document by its path and source": fetch("document", "same.md", source="b"),
    "lines by path and tenant": fetch("span", "same.md", start=1, tenant="acme"),
    "lines by path, source and no tenant": fetch("span", "same.md", start=1, source="a", tenant=""),
    "a document by an id and its own source": fetch("document", "<doc>", source="default"),
    "a document in a folder": fetch("document", "notes/think.md"),
    "lines by citation": but(
        fetch("span", "backups.md#L1-L3"), {HTTP: "what follows a # is no part of an address"}
    ),
    "the list": listed(limit=100),
    "a page of the list": listed(limit=2, offset=3),
    "a page beyond the list": listed(limit=2, offset=300),
    "the number of documents": listed(limit=0),
    **{f"a list by {name}": listed(filters=one) for name, one in FILTERS.items()},
    "a document inspected": SurfaceCall(
        operation="inspect", fields={"kind": "document", "name": "<doc>"}, without=NO_LIST
    ),
    "a chunk inspected": SurfaceCall(
        operation="inspect", fields={"kind": "chunk", "name": "<chunk>"}, without=NO_CHUNK_PAGE
    ),
    "the schema": SurfaceCall(operation="schema", without=NO_DESCRIPTION),
    "the doctor": SurfaceCall(operation="doctor", without=NO_DESCRIPTION),
    "searches in bulk": SurfaceCall(
        operation="bulk",
        fields={"queries": [{"query": QUESTION, "k": 2, "lang": ["en"]}, {"query": "x", "k": 0}]},
        without=PYTHON_AND_CLI,
    ),
}

# What is at fault, in the fields that a look-up and a search share.
SHARED_FAULTS: dict[str, dict[str, Any]] = {
    "an empty query": {"query": ""},
    "a blank query": {"query": " \t\n"},
    "an invisible query": {"query": "\u200b"},
    "a query of 4,001 characters": {"query": LONG},
    "k of 0": {"k": 0},
    "k of 201": {"k": 201},
    "a mode that is none": {"mode": "fuzzy"},
    "a trust that is none": {"filters": {"trust_min": "full"}},
    "a time that is none": {"filters": {"indexed_after": "yesterday"}},
    "a time without an offset": {"filters": {"indexed_after": "2026-01-31T00:00:00"}},
    "too many values": {"filters": {"tags": [str(n) for n in range(101)]}},
    "a cursor that is none": {"cursor": "nonsense"},
    "a cursor of another query": {"cursor": "<foreign cursor>"},
    "no time": {"deadline_s": 0},
    "k in words": {"k": "ten"},
    "k as a fraction": {"k": "2.5"},
    "a deadline in words": {"deadline_s": "soon"},
}
TYPE_FAULTS: dict[str, dict[str, Any]] = {
    "a query that is no text": {"query": 7},
    "a mode that is no text": {"mode": 7},
    "k that is a truth": {"k": True},
    "a cursor that is a number": {"cursor": 7},
}
KEY_FAULTS: dict[str, dict[str, Any]] = {
    "an unknown filter key": {"filters": {"colour": "red"}},
    "a filter key that is code": {"filters": {'tenant"] != "" or metadata["x': "a"}},
    "a filter value of the wrong type": {"filters": {"lang": 5}},
    "a filter with a number in its list": {"filters": {"tags": [1]}},
    "a filter that is a list": {"filters": ["lang"]},
}


def _asked(ask: Any, faults: dict[str, dict[str, Any]], without: dict[str, str]) -> Any:
    return {
        f"{ask.__name__}: {name}": but(ask(fields.get("query", QUESTION), **rest), without)
        for name, fields in faults.items()
        for rest in [{key: value for key, value in fields.items() if key != "query"}]
    }


BAD: dict[str, SurfaceCall] = {
    **{
        name: call
        for ask in (lookup, search)
        for faults, without in (
            (SHARED_FAULTS, {}),
            (TYPE_FAULTS, NO_TYPES),
            (KEY_FAULTS, NO_KEYS),
        )
        for name, call in _asked(ask, faults, without).items()
    },
    "a budget below zero": lookup(budget_tokens=-1),
    "a budget above the most": lookup(budget_tokens=1_000_001),
    "a floor above 1": lookup(min_quality=1.5),
    "a floor that is no number": lookup(min_quality="nan"),
    "attempt 0": lookup(attempt=0),
    "seen chunks that are no list": but(lookup(seen_chunk_ids="a"), NO_TYPES),
    "a session without a name": but(lookup(session_id=""), {CLI: "a process is a session"}),
    "tokens below zero": search(max_tokens=-1),
    "tokens above the most": search(max_tokens=1_000_001),
    "a snippet of 19": search(snippet_chars=19),
    "a snippet of 4,001": search(snippet_chars=4_001),
    "a trace that is no truth": but(search(trace="yes"), NO_TYPES),
    "no question": SurfaceCall(operation="lookup", without=NO_TYPES),
    "a question that is null": but(lookup(None), NO_TYPES),  # type: ignore[arg-type]  # which is the point
    "a batch that is no list": batch("keys"),
    "a batch of nothing": batch([]),
    "a batch of 51": batch(["keys"] * 51),
    "a batch without questions": SurfaceCall(operation="batch", without=NO_BATCH),
    "a batch with an option at fault": batch([QUESTION, {"query": "keys", "k": 3}], k=0),
    "a batch with a filter at fault": batch([QUESTION], filters={"colour": "red"}),
    "a batch with a budget below zero": batch([QUESTION], budget_tokens=-1),
    "a batch with a cursor": batch([QUESTION], cursor="nonsense"),
    "a batch of questions at fault": batch([" ", {"query": "keys", "k": 0}]),
    "a batch of a question with a budget": batch([{"query": "keys", "budget_tokens": 5}]),
    "an unknown document": fetch("document", "nope.md"),
    "lines of an unknown document": fetch("span", "nope.md", start=1),
    "a path of several documents": fetch("document", "same.md"),
    "a path of several in one source": fetch("span", "same.md", start=1, source="a"),
    "a path of another source": fetch("document", "backups.md", source="b"),
    "a path of another tenant": fetch("document", "backups.md", tenant="acme"),
    "an id of another source": fetch("document", "<doc>", source="b"),
    "a source without a name": fetch("document", "<doc>", source=""),
    "a source of 101 characters": fetch("document", "<doc>", source="x" * 101),
    "a tenant of 201 characters": fetch("document", "<doc>", tenant="x" * 201),
    "a source of a chunk": but(fetch("chunk", "<chunk>", source="default"), NO_KINDS),
    "an unknown chunk": fetch("chunk", "0" * 32),
    "neighbours below zero": fetch("chunk", "<chunk>", context=-1),
    "too many neighbours": fetch("chunk", "<chunk>", context=51),
    "lines from 0": fetch("span", "<doc>", start=0),
    "lines turned round": fetch("span", "<doc>", start=5, end=2),
    "lines beyond the document": fetch("span", "<doc>", start=100_000),
    "an end without a start": but(
        fetch("span", "<doc>", end=2), {CLI: "the second number is the end, so there is a first"}
    ),
    "lines of a citation's own": but(
        fetch("span", "backups.md"), {HTTP: "without lines, a document is asked for"}
    ),
    "a line in words": fetch("span", "<doc>", start="first"),
    "tokens of a document below zero": fetch("document", "<doc>", max_tokens=-1),
    "a kind that is none": but(fetch("page", "<doc>"), NO_KINDS),
    "neighbours of a document": but(fetch("document", "<doc>", context=1), NO_KINDS),
    "tokens of a chunk": but(fetch("chunk", "<chunk>", max_tokens=5), NO_KINDS),
    "lines of a chunk": but(fetch("chunk", "<chunk>", start=1), NO_KINDS),
    "a name of nothing": but(fetch("document", ""), {HTTP: "the address is another then"}),
    "a list below zero": listed(limit=-1),
    "a list of too many": listed(limit=10_001),
    "a list from below zero": listed(offset=-1),
    "a list by a trust that is none": listed(filters={"trust_min": "full"}),
    "an unknown document to inspect": SurfaceCall(
        operation="inspect", fields={"kind": "document", "name": "nope.md"}, without=NO_LIST
    ),
    "an unknown chunk to inspect": SurfaceCall(
        operation="inspect", fields={"kind": "chunk", "name": "0" * 32}, without=NO_CHUNK_PAGE
    ),
}

# A field that there is not. The names that are allowed are the operation's fields, or the
# options of a command or an address, so the code and what was given are compared alone.
UNKNOWN: dict[str, SurfaceCall] = {
    "lookup": lookup(colour="red"),
    "search": search(colour="red"),
    "batch": batch([QUESTION], colour="red"),
    "fetch": fetch("document", "<doc>", colour="red"),
    "list": listed(colour="red"),
}
