"""The same calls through Python, the command line, MCP and HTTP give the same JSON.

Each surface opens a base of its own over one folder: this process, the command line anew for every
command, a child process that serves MCP over its standard streams, and a service on a real port.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

import rag
from rag.assembly import open_base
from rag.base.knowledge_base import KnowledgeBase
from rag.samples import handbook_path
from rag.settings import load_settings
from rag.surfaces.http_api.services import build_services
from rag.surfaces.shared_base import SharedBase
from tests.surfaces.askers import (
    Asker,
    ask_cli,
    ask_http,
    ask_mcp,
    ask_python,
    command_line,
)
from tests.surfaces.calls import BAD, CLI, GOOD, HTTP, MCP, PYTHON, UNKNOWN, SurfaceCall, search
from tests.surfaces.cli.command_line import CommandLine, checked
from tests.surfaces.http_api.running import running
from tests.surfaces.mcp_server.serving import LiveClient, child_over_stdio, environment

CONFIG = """\
readonly = true
[store]
uri = "{store}"
[embedding]
embedder = "hashing"
cache = false
"""
# What a clock decided.
TIMINGS = frozenset({"took_ms", "timing_ms"})
DIGITS = 6  # a sum of products differs in its last bits with where its vectors lie in memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A folder with a base, and what asks it by each way but the command line."""

    config: Path
    base: KnowledgeBase
    mcp: LiveClient
    http: httpx.Client


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The handbook, a note of a tenant's, and a text that a model wrote."""
    folder = tmp_path_factory.mktemp("parity")
    config = folder / "rag.toml"
    config.write_text(CONFIG.format(store=(folder / "base").as_posix()), "utf-8")
    settings = load_settings(config)
    with rag.open(load_settings(config, readonly=False)) as writer:
        writer.ingest(handbook_path(), tags=["handbook"])
        writer.ingest_text("Backups of Acme are kept.", name="acme.txt", tenant="acme", source="a")
        for tenant, source in (("", "a"), ("acme", "a"), ("", "b")):
            text = f"The source {source} of {tenant or 'nobody'}."
            writer.ingest_text(text, name="same.md", tenant=tenant, source=source)
        about = {"source": "b", "source_type": "note", "trust": "generated"}
        writer.ingest_text("Backups, I think, are kept.", name="notes/think.md", **about)
    with ExitStack() as stack:
        services = build_services(settings, SharedBase(lambda create: open_base(settings)))
        url, _ = stack.enter_context(running(services))
        yield Served(
            config=config,
            base=stack.enter_context(rag.open(settings, create=False)),
            mcp=stack.enter_context(child_over_stdio(config, cwd=folder)),
            http=stack.enter_context(httpx.Client(base_url=url, timeout=60)),
        )


@pytest.fixture
def askers(
    served: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Asker]:
    cli = CommandLine(capsys, monkeypatch, "--config", str(served.config))
    return {
        PYTHON: partial(ask_python, served.base),
        CLI: partial(ask_cli, cli),
        MCP: partial(ask_mcp, served.mcp),
        HTTP: partial(ask_http, served.http),
    }


def filled_in(call: SurfaceCall, base: KnowledgeBase) -> SurfaceCall:
    """Return a call with what stands for something of the base replaced by it."""
    first = replace(call, fields={k: v for k, v in call.fields.items() if k != "cursor"})
    hit = base.search("backups").hits[0]
    known = {
        "<doc>": lambda: hit.doc_id,
        "<chunk>": lambda: hit.chunk_id,
        "<cursor>": lambda: ask_python(base, first)["next_cursor"],
        "<foreign cursor>": lambda: base.search("another question", k=1).next_cursor,
    }

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: filled(v) for k, v in value.items()}
        if isinstance(value, list):
            return [filled(one) for one in value]
        return known[value]() if isinstance(value, str) and value in known else value

    return replace(call, fields=filled(call.fields))


def comparable(value: Any) -> Any:
    """Return JSON without what a clock decided, numbers to six places."""
    if isinstance(value, dict):
        return {k: comparable(v) for k, v in value.items() if k not in TIMINGS}
    if isinstance(value, list):
        return [comparable(one) for one in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def as_sent(surface: str, call: SurfaceCall, answer: Any, expected: Any) -> Any:
    """Return an answer with what a surface must say in its own way put back.

    Over MCP the context block is part of the text; hits have a budget where none was asked for,
    so that no client cuts them, and these all fit it.
    """
    if surface != MCP:
        return answer
    if call.operation in ("lookup", "batch") and "context" in answer:
        assert expected["context"] in answer["context"]
        return {**answer, "context": expected["context"]}
    if call.operation == "search" and "max_tokens" not in call.fields and "budget" in answer:
        assert answer["budget"]["limit"] == 8_000
        assert answer["truncated"] is False
        return {**answer, "budget": None}
    return answer


@pytest.mark.scenario("lookup-tool", "One call by every way")
@pytest.mark.parametrize("name", GOOD)
def test_every_surface_gives_the_same_object(name: str, served: Served, askers: dict[str, Asker]):
    call = filled_in(GOOD[name], served.base)
    expected = askers[PYTHON](call)
    assert "error.v1" not in str(expected)[:60], expected
    for surface in (CLI, MCP, HTTP):
        if surface not in call.without:
            answer = as_sent(surface, call, askers[surface](call), expected)
            assert comparable(answer) == comparable(expected), surface


@pytest.mark.scenario("lookup-tool", "One fault by every way")
@pytest.mark.parametrize("name", BAD)
def test_every_surface_refuses_with_the_same_error(
    name: str, served: Served, askers: dict[str, Asker]
):
    call = filled_in(BAD[name], served.base)
    expected = askers[PYTHON](call)
    assert expected["schema_version"] == "error.v1"
    assert expected["allowed"] or expected["hint"]
    for surface in (CLI, MCP, HTTP):
        if surface not in call.without:
            assert askers[surface](call) == expected, surface


@pytest.mark.parametrize("name", UNKNOWN)
def test_every_surface_refuses_a_field_that_there_is_not(
    name: str, served: Served, askers: dict[str, Asker]
):
    call = filled_in(UNKNOWN[name], served.base)
    for surface, ask in askers.items():
        if surface not in call.without:
            error = ask(call)
            assert error["code"] == "invalid_argument", surface
            assert "colour" in error["given"], surface
            assert "colour" in error["message"], surface


def test_only_the_count_of_attempts_tells_a_session_over_mcp_from_a_single_call(
    served: Served, askers: dict[str, Asker]
):
    """The server counts what its client asks; over HTTP and in Python a caller names a session."""
    call = SurfaceCall(operation="lookup", fields={"query": "How long are backups kept?"})
    expected = askers[PYTHON](call)
    found = as_sent(MCP, call, askers[MCP](call), expected)
    assert expected["retry"].pop("attempts_left") is None
    assert found["retry"].pop("attempts_left") == 2
    assert comparable(found) == comparable(expected)


@pytest.mark.parametrize("name", ["a question", "a search by two at once", "some lines"])
def test_a_process_of_its_own_answers_as_a_command_here(
    name: str, served: Served, askers: dict[str, Asker]
):
    call = filled_in(GOOD[name], served.base)
    words = [*command_line(call), "--config", str(served.config), "--json"]
    ran = subprocess.run(
        [sys.executable, "-m", "rag", *words],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=served.config.parent,
        check=True,
    )
    assert comparable(checked(ran.stdout)) == comparable(askers[PYTHON](call))


def test_a_process_of_its_own_refuses_as_a_command_here(served: Served, askers: dict[str, Asker]):
    call = search(k=0)
    words = [*command_line(call), "--config", str(served.config), "--json"]
    ran = subprocess.run(
        [sys.executable, "-m", "rag", *words],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=served.config.parent,
        check=False,
    )
    assert (ran.returncode, json.loads(ran.stderr)) == (2, askers[PYTHON](call))
