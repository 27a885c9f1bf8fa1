"""Reading back, listing, inspecting, and what a base says of itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.samples import handbook_path
from rag.wire import WIRE_TYPES, json_schema
from tests.surfaces.cli.command_line import CommandLine


@pytest.mark.scenario("cli", "A citation is fetched as it stands")
def test_what_a_result_cites_can_be_fetched_by_its_citation(shelf: CommandLine):
    hits = shelf("search", "backups", "-k", 20, "--json").json["hits"]
    for hit in hits:
        citation = hit["citation"]
        by_ref = shelf("fetch", "span", citation["ref"], "--json").json
        by_numbers = shelf(
            "fetch", "span", citation["uri"], citation["start"], citation["end"], "--json"
        ).json
        chunk = shelf("fetch", "chunk", hit["chunk_id"], "--json").json
        assert by_ref == by_numbers
        assert by_ref["ref"] == chunk["ref"] == citation["ref"]
        assert chunk["text"].strip("\n") in by_ref["text"]
        assert hit["snippet"]["text"] in chunk["text"]


def test_lines_are_those_of_the_file(shelf: CommandLine):
    lines = (handbook_path() / "backups.md").read_text("utf-8").splitlines(keepends=True)
    found = shelf("fetch", "span", "backups.md", 3, 7, "--json").json
    assert found["text"] == "".join(lines[2:7])
    beyond = shelf("fetch", "span", "backups.md", 10, 9_999, "--json").json
    assert (beyond["end"], beyond["text"]) == (len(lines), "".join(lines[9:]))
    one = shelf("fetch", "span", "backups.md", 3, "--json").json
    assert one["text"] == lines[2]


def test_a_whole_document_is_its_file_and_a_budget_cuts_whole_lines(shelf: CommandLine):
    text = (handbook_path() / "backups.md").read_text("utf-8")
    assert shelf("fetch", "document", "backups.md", "--json").json["text"] == text
    cut = shelf("fetch", "document", "backups.md", "--max-tokens", 60, "--json").json
    assert cut["truncated"] is True
    assert cut["tokens"] <= 60
    assert text.startswith(cut["text"])
    assert cut["text"].endswith("\n")
    assert cut["end"] == cut["text"].count("\n")
    nothing = shelf("fetch", "document", "backups.md", "--max-tokens", 0, "--json").json
    assert (nothing["text"], nothing["end"], nothing["tokens"]) == ("", 0, 0)


def test_neighbours_come_in_document_order(shelf: CommandLine):
    chunks = shelf("inspect", "backups.md", "--json").json["chunks"]
    ids = [one["chunk"]["chunk_id"] for one in chunks]
    found = shelf("fetch", "chunk", ids[1], "--context", 1, "--json").json
    assert [one["chunk_id"] for one in found["context_before"]] == ids[:1]
    assert [one["chunk_id"] for one in found["context_after"]] == ids[2:3]
    joined = found["context_before"][0]["text"] + found["text"] + found["context_after"][0]["text"]
    assert joined in (handbook_path() / "backups.md").read_text("utf-8")
    shown = shelf("fetch", "chunk", ids[1], "--context", 1).out
    assert shown.index("# Backups") < shown.index("## Schedule") < shown.index("## Retention")


@pytest.mark.scenario("cli", "A document and a chunk inspected")
def test_a_document_and_a_chunk_are_inspected(shelf: CommandLine):
    document = shelf("inspect", "backups.md", "--json").json
    assert shelf("inspect", "document", "backups.md", "--json").json == document
    assert document["document"]["chunk_count"] == len(document["chunks"])
    first = document["chunks"][0]["chunk"]
    chunk = shelf("inspect", "chunk", first["chunk_id"], "--json").json
    assert chunk["chunk"] == document["chunks"][0]
    assert chunk["chunk"]["embedded"] is True
    assert first["char_start"] == 0
    assert first["char_end"] == len(first["text"])
    assert "backups.md#L1-L8" in shelf("inspect", "backups.md").out
    assert first["text"].splitlines()[-1] in shelf("inspect", "chunk", first["chunk_id"]).out


@pytest.mark.scenario("cli", "A list with a limit")
def test_documents_are_listed_by_path_and_filtered_and_limited(shelf: CommandLine):
    whole = shelf("list", "--json").json
    paths = [document["uri"] for document in whole["documents"]]
    assert paths == sorted(paths)
    assert whole["total"] == len(paths) == 8
    part = shelf("list", "--limit", 3, "--json").json
    assert [document["uri"] for document in part["documents"]] == paths[:3]
    assert part["total"] == 8
    assert shelf("list", "--limit", 3).out.splitlines()[-1] == "… and 5 more"
    korean = shelf("list", "--lang", "ko", "--json").json
    assert [document["uri"] for document in korean["documents"]] == ["ko/incidents.md"]
    assert shelf("list", "--lang", "fi").out == "no documents\n"


def test_what_a_base_can_do_is_what_is_there(shelf: CommandLine):
    it = shelf("schema", "--json").json
    assert it["store"]["documents"] == 8
    assert it["contents"]["languages"] == {"en": 6, "ko": 1, "zh": 1}
    assert it["contents"]["sources"] == {"default": 8}
    assert it["modes"] == ["hybrid", "vector", "lexical"]
    assert it["objects"] == list(WIRE_TYPES)
    assert {".md", ".pdf", ".docx", ".py"} <= set(it["file_suffixes"])
    alone = shelf("schema", "--embedder", "none", "--json").json
    assert alone["modes"] == ["hybrid", "lexical"]
    assert alone["embedder"] == "none"
    assert "en 6, ko 1, zh 1" in shelf("schema").out


@pytest.mark.parametrize("name", WIRE_TYPES)
def test_a_published_schema_is_printed(cli: CommandLine, name: str):
    assert json.loads(cli("schema", name).out) == json_schema(name)


def test_the_tool_definition_is_printed_for_a_vendor(cli: CommandLine):
    assert '"lookup_knowledge"' in cli("schema", "--tool", "openai").out
    assert '"input_schema"' in cli("schema", "--tool", "anthropic").out


def test_a_document_with_the_same_path_in_two_sources_is_named_by_its_id(
    cli: CommandLine, tmp_path: Path
):
    for source in ("one", "two"):
        cli("ingest", "-", "--name", "a.md", "--source", source, stdin=f"# {source}\n")
    error = cli("fetch", "document", "a.md", "--json").error
    assert error["code"] == "invalid_argument"
    first = cli("list", "--source", "one", "--json").json["documents"][0]["doc_id"]
    assert first in error["message"]
    assert cli("fetch", "document", first, "--json").json["text"] == "# one\n"


def test_a_file_that_cannot_be_read_is_named_once_on_its_line(cli: CommandLine, notes: Path):
    (notes / "scan.pdf").write_bytes(b"%PDF-1.4 no more")
    (notes / "odd.ipynb").write_text("{}", "utf-8")
    lines = cli("ingest", notes).out.splitlines()
    pdf = next(line for line in lines if "scan.pdf" in line)
    assert pdf.startswith("  skipped   scan.pdf  unreadable (cannot be opened as PDF: ")
    assert pdf.count("scan.pdf") == 1
    assert "  skipped   odd.ipynb  unreadable (not a Jupyter notebook)" in lines
