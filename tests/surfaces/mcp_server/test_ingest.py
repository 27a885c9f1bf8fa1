"""Writing through the server: what may be read, how it gets on, and how it is stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import pytest

from tests.surfaces.mcp_server.serving import (
    LiveClient,
    child_over_stdio,
    error_of,
    text_of,
    write_config,
)

LONG_TEXT = "".join(f"## Part {n}\n\nThe heron of part {n} stood still.\n\n" for n in range(20_000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """A server that may write, and the one folder that it may read files from."""

    live: LiveClient
    folder: Path


@pytest.fixture(scope="module")
def writing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Writing]:
    outside = tmp_path_factory.mktemp("writing")
    config = write_config(outside)
    folder = outside / "allowed"
    folder.mkdir()
    (outside / "secret.md").write_text("# Secret\n\nThe password is swordfish.\n", encoding="utf-8")
    with child_over_stdio(config, "--root", str(folder), cwd=outside) as live:
        yield Writing(live=live, folder=folder)


def finds(writing: Writing, word: str) -> bool:
    """Whether the base has the word."""
    result = writing.live.call("search", query=word, mode="lexical", k=1)
    return bool(result.structured_content["hits"])


def test_a_look_up_before_anything_was_ingested_makes_no_store(writing: Writing):
    error = error_of(writing.live.call("lookup_knowledge", query="heron"))
    assert error["code"] == "store_not_initialised"
    assert not (writing.folder.parent / "kb").exists()


@pytest.mark.scenario("mcp-server", "The tools of a base that may be written")
def test_tools_that_write_are_listed_as_replacing_and_repeatable(writing: Writing):
    tools = writing.live.tools()
    assert {"ingest_file", "ingest_text"} < set(tools)
    for name in ("ingest_file", "ingest_text"):
        annotations = tools[name].annotations
        assert annotations is not None
        assert annotations.read_only_hint is False
        assert annotations.destructive_hint is True
        assert annotations.idempotent_hint is True


@pytest.mark.scenario("mcp-server", "A text kept for later")
def test_a_text_is_stored_apart_from_documents_and_found(writing: Writing):
    first = writing.live.call("ingest_text", text="# Note\n\nThe kiwi is shy.", name="n/kiwi.md")
    again = writing.live.call("ingest_text", text="# Note\n\nThe kiwi is shy.", name="n/kiwi.md")
    assert (first.structured_content["new"], again.structured_content["unchanged"]) == (1, 1)
    found = writing.live.call("search", query="kiwi", mode="lexical").structured_content
    assert found["hits"][0]["trust"] == "generated"
    assert found["hits"][0]["source"] == "agent"
    assert found["hits"][0]["source_type"] == "note"


@pytest.mark.scenario("mcp-server", "Progress of an ingest")
def test_an_ingest_reports_its_steps(writing: Writing):
    (writing.folder / "stork.md").write_text("# Stork\n\nThe stork naps.\n", encoding="utf-8")
    steps: list[tuple[float, str | None]] = []

    async def heard(progress: float, _total: float | None, message: str | None) -> None:
        steps.append((progress, message))

    live = writing.live
    result = live.portal.call(
        partial(live.client.call_tool, "ingest_file", {"path": "stork.md"}, progress_callback=heard)
    )
    assert result.structured_content["new"] == 1
    assert "stork.md: new, 1 chunk\n" in text_of(result)
    assert [number for number, _ in steps] == [1, 2, 3]
    assert "reading 1 file" in str(steps[0][1])


@pytest.mark.scenario("mcp-server", "An ingest that the client cancels")
def test_a_cancelled_ingest_stores_nothing_and_the_server_goes_on(writing: Writing):
    (writing.folder / "long.md").write_text(LONG_TEXT, encoding="utf-8")
    client = writing.live.client

    async def cancelled_at_the_first_step() -> bool:
        with anyio.CancelScope() as scope:

            async def heard(_now: float, _total: float | None, _message: str | None) -> None:
                scope.cancel()

            await client.call_tool("ingest_file", {"path": "long.md"}, progress_callback=heard)
        return scope.cancelled_caught

    assert writing.live.portal.call(cancelled_at_the_first_step)
    # a second ingest waits for the first to have ended
    writing.live.call("ingest_text", text="# After\n\nThe pelican came after.", name="after.md")
    assert finds(writing, "pelican")
    assert not finds(writing, "heron")


@pytest.mark.scenario("mcp-server", "A file outside the allowed folders")
@pytest.mark.parametrize(
    "path", ["../secret.md", "{outside}/secret.md", "link.md", "/etc/hostname"]
)
def test_a_file_outside_the_allowed_folders_is_refused(writing: Writing, path: str):
    link = writing.folder / "link.md"
    if not link.is_symlink():
        link.symlink_to("../secret.md")
    given = path.format(outside=writing.folder.parent)
    error = error_of(writing.live.call("ingest_file", path=given))
    assert error["code"] == "refused"
    assert str(writing.folder) in error["allowed"]
    assert not finds(writing, "swordfish")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("missing.md", "path_not_found"),
        (".", "invalid_argument"),
        ("a\0b", "invalid_argument"),
        ("a" * 300 + ".md", "invalid_argument"),
        ("/".join(["a" * 200] * 30) + ".md", "invalid_argument"),
        ("loop.md", "invalid_argument"),
        ("stork.md/below.md", "path_not_found"),
    ],
    ids=lambda text: text[:20],
)
@pytest.mark.scenario("mcp-server", "A path that no system takes")
def test_a_path_that_is_no_file_is_an_error(writing: Writing, path: str, code: str):
    loop = writing.folder / "loop.md"
    if not loop.is_symlink():
        loop.symlink_to("loop.md")
    (writing.folder / "stork.md").write_text("# Stork\n\nstorks", "utf-8")
    error = error_of(writing.live.call("ingest_file", path=path))
    assert error["code"] == code
    assert error["given"]
    assert error["allowed"]
    assert error["hint"]


def test_a_file_that_cannot_be_used_is_an_error_with_the_reason(writing: Writing):
    (writing.folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    error = error_of(writing.live.call("ingest_file", path="broken.pdf"))
    assert error["code"] == "unreadable_file"
    assert error["details"] == {"outcome": "skipped", "reason": "unreadable"}


@pytest.mark.parametrize("name", ["../up.md", "/abs.md", "no-suffix", "x.exe"])
def test_a_text_needs_a_relative_name_with_a_known_suffix(writing: Writing, name: str):
    error = error_of(writing.live.call("ingest_text", text="x", name=name))
    assert error["code"] == "invalid_argument"
