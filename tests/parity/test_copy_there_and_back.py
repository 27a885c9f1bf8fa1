"""``rag copy`` from the local store to Milvus Lite and back: the same base, bit for bit."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import rag
from rag.ranking.records import SearchMode
from rag.surfaces.cli.app import run
from rag.wire.search_response import ResultHit
from tests.parity.agreement import LEAST_OVERLAP, SINGLE_PRECISION, overlap
from tests.parity.corpus import QUESTIONS, questions, write_files

ASKED = questions()[:: QUESTIONS // 20]
EVERY = 6  # documents between two that are copied
TOP = 10


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run commands in, with settings from nowhere but here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_EMBEDDING__EMBEDDER", "hashing")
    monkeypatch.setenv("RAG_EMBEDDING__CACHE", "false")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *command: str) -> dict[str, Any]:
    """Run a command with ``--json`` and return what it printed."""
    capsys.readouterr()
    assert run([*command, "--json"]) == 0, capsys.readouterr().err
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed


def answers(uri: str, mode: SearchMode) -> list[tuple[ResultHit, ...]]:
    """Return the ten best for each question."""
    with rag.open(uri) as base:
        return [base.search(text, mode=mode, k=TOP).hits for text in ASKED]


def facts(hit: ResultHit) -> dict[str, Any]:
    """Return all that a hit says of its chunk, without what this search says of it."""
    own = replace(hit, rank=1, score=None, quality=0.0, retrieval=None)
    return asdict(own)


@pytest.mark.scenario("knowledge-stores", "A base is copied there and back")
def test_a_base_that_went_to_milvus_and_back_is_listed_and_found_as_before(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(place / "files", every=EVERY)
    ingested = said(capsys, "ingest", "files", "--store", "base", "--tag", "docs")
    there = said(capsys, "copy", "--from", "base", "--to", "kb.db")
    back = said(capsys, "copy", "--from", "kb.db", "--to", "back")
    for report in (there, back):
        assert report["copied"] == ingested["new"] > 100
        assert report["chunks_copied"] == report["vectors_copied"] == ingested["chunks_written"]
    again = said(capsys, "copy", "--from", "base", "--to", "back")
    assert (again["copied"], again["unchanged"]) == (0, ingested["new"])

    lists = [said(capsys, "list", "--store", store) for store in ("base", "kb.db", "back")]
    assert lists[0] == lists[1] == lists[2]

    for mode in SearchMode:
        before, on_milvus, after = (answers(uri, mode) for uri in ("base", "kb.db", "back"))
        assert before == after, mode
        for ours, theirs in zip(before, on_milvus, strict=True):
            known = {hit.chunk_id: facts(hit) for hit in ours}
            for hit in theirs:
                assert facts(hit) == known.get(hit.chunk_id, facts(hit))
            if mode is SearchMode.VECTOR:
                assert [hit.chunk_id for hit in ours] == [hit.chunk_id for hit in theirs]
                assert [hit.score for hit in ours] == pytest.approx(
                    [hit.score for hit in theirs], abs=2 * SINGLE_PRECISION
                )
        shares = [
            overlap([hit.chunk_id for hit in ours], [hit.chunk_id for hit in theirs])
            for ours, theirs in zip(before, on_milvus, strict=True)
        ]
        assert sum(shares) / len(shares) >= LEAST_OVERLAP, mode
