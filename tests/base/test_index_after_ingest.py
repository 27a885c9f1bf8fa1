"""An ingest brings the index of a large base up to date, or says what stands in the way."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import rag
from rag.settings import Settings, load_settings

CHUNKS = 300
EXACT_LIMIT = 50


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(CHUNKS):
        (files / f"{number}.md").write_text(
            f"# Part {number}\n\nThe pump number {number}.\n", "utf-8"
        )
    return load_settings(
        store={"uri": str(tmp_path / "base"), "exact_limit": EXACT_LIMIT},
        embedding={"embedder": "hashing", "cache": False},
    )


class Steps:
    """A listener that keeps the steps of index building."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def scanned(self, files: int) -> None: ...

    def file_done(self, uri: str, outcome: str) -> None: ...

    def embedded(self, chunks: int) -> None: ...

    def indexing(self, step: str, done: int, total: int) -> None:
        self.seen.append(step)


def test_a_base_over_the_limit_has_its_index_when_the_ingest_ends(
    settings: Settings, tmp_path: Path
):
    steps = Steps()
    with rag.open(settings) as base:
        report = base.ingest(tmp_path / "files", progress=steps)
        assert report.warnings == ()
        assert "copy" in steps.seen
        assert not base.parts.store.build_index()  # nothing is due any more
        assert base.search("pump number 7", mode="vector", k=1).hits[0].doc_path == "7.md"


def test_without_lancedb_the_documents_are_stored_and_the_report_names_the_command(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for module in ("lancedb", "rag.stores.local.lance_table"):
        monkeypatch.setitem(sys.modules, module, None)  # as Python keeps "not there"
    with rag.open(settings) as base:
        report = base.ingest(tmp_path / "files")
        assert report.new == CHUNKS
        assert "pip install 'rag-evidence[lancedb]'" in report.warnings[0]
        assert base.search("pump number 7", mode="vector", k=1).hits[0].doc_path == "7.md"
