"""Ingesting through the real store: what is new, edited, renamed, deleted, skipped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import (
    EmbeddingError,
    InvalidArgumentError,
    InvalidVectorError,
    PathNotFoundError,
    UnreadableFileError,
)
from rag.ingest.file_loader import load_file
from rag.testing import HashingEmbedder
from tests.base.conftest import OpenBase


def paths(base: KnowledgeBase) -> list[str]:
    return [document.uri for document in base.documents()]


def found(base: KnowledgeBase, words: str, mode: str = "lexical") -> list[str]:
    return [hit.doc_path for hit in base.search(words, mode=mode).hits]


def counts(report: object) -> dict[str, int]:
    names = ("scanned", "new", "updated", "unchanged", "skipped", "failed", "deleted")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def test_a_folder_is_ingested_edited_renamed_and_deleted_without_traces(
    base: KnowledgeBase, garden: Path
):
    assert counts(base.ingest(garden)) == {"scanned": 4, "new": 4}
    before = {document.uri: document for document in base.documents()}

    peas = garden / "peas.md"
    peas.write_text(peas.read_text().replace("March", "April"))
    assert counts(base.ingest(garden)) == {"scanned": 4, "updated": 1, "unchanged": 3}
    after = {document.uri: document for document in base.documents()}
    assert after["peas.md"].doc_id == before["peas.md"].doc_id
    assert after["peas.md"].generation == before["peas.md"].generation + 1
    assert found(base, "March") == []
    assert found(base, "April") == ["peas.md"]
    for hit in base.search("sow peas", k=50).hits:
        text = base.fetch_chunk(hit.chunk_id).text
        assert hit.snippet is not None
        assert hit.snippet.text in text
        assert "March" not in text

    (garden / "beans.md").rename(garden / "pole-beans.md")
    assert counts(base.ingest(garden)) == {"scanned": 4, "new": 1, "unchanged": 3, "deleted": 1}
    assert found(base, "poles") == ["pole-beans.md"]

    (garden / "pole-beans.md").unlink()
    assert counts(base.ingest(garden)) == {"scanned": 3, "unchanged": 3, "deleted": 1}
    assert found(base, "poles") == []
    stats = base.parts.store.stats()
    assert stats.chunks == stats.chunks_with_vector == sum(d.chunk_count for d in base.documents())
    assert all(check.ok for check in base.parts.store.check())


def test_identical_files_stay_two_documents_and_unchanged(base: KnowledgeBase, garden: Path):
    base.ingest(garden)
    first = base.documents()
    twins = [document for document in first if document.uri.startswith("beds/")]
    assert len({document.doc_id for document in twins}) == 2
    assert sorted(found(base, "lettuce")) == ["beds/one.md", "beds/two.md"]
    (garden / "beds" / "one.md").unlink()
    base.ingest(garden)
    assert found(base, "lettuce") == ["beds/two.md"]


def test_an_unchanged_folder_embeds_nothing_and_writes_nothing(base: KnowledgeBase, garden: Path):
    base.ingest(garden)
    revision = base.parts.store.revision()
    report = base.ingest(garden)
    assert counts(report) == {"scanned": 4, "unchanged": 4}
    assert (report.chunks_written, report.chunks_embedded, report.vectors_from_cache) == (0, 0, 0)
    assert base.parts.store.revision() == revision


def test_every_skipped_file_is_counted_with_its_reason(base: KnowledgeBase, garden: Path):
    (garden / "picture.png").write_bytes(b"\x89PNG\r\n")
    (garden / "empty.md").write_bytes(b"")
    (garden / "blank.md").write_text(" \n\n")
    (garden / "binary.txt").write_bytes(b"a\0b" * 100)
    (garden / "damaged.pdf").write_bytes(b"%PDF-1.7 nothing more")
    (garden / "secret.md").write_text("# Secret\n")
    (garden / ".ragignore").write_text("secret.md\n")
    report = base.ingest(garden)
    assert report.scanned == report.new + report.skipped
    assert report.skipped_by_reason == {
        "binary": 1,
        "empty": 2,
        "ignored": 1,
        "unreadable": 1,
        "unsupported": 1,
    }
    reasons = {file.uri: file.reason for file in report.files if file.reason}
    assert reasons["damaged.pdf"] == "unreadable"
    assert reasons["secret.md"] == "ignored"


def test_a_file_that_is_too_large_now_leaves_no_old_text_behind(open_base: OpenBase, garden: Path):
    base = open_base(ingest={"max_file_bytes": 1_000})
    base.ingest(garden)
    (garden / "peas.md").write_text("x" * 2_000)
    report = base.ingest(garden)
    assert report.skipped_by_reason == {"too_large": 1}
    assert report.deleted == 1
    assert found(base, "Sow") == []


def test_a_file_that_cannot_be_read_this_time_keeps_its_stored_text(
    base: KnowledgeBase, garden: Path, monkeypatch: pytest.MonkeyPatch
):
    base.ingest(garden)

    def unreadable(found_file, *, max_file_bytes):
        if found_file.uri == "peas.md":
            return load_file(
                type(found_file)(
                    path=garden, uri=found_file.uri, size=1, modified_ns=found_file.modified_ns
                ),
                max_file_bytes=max_file_bytes,
            )
        return load_file(found_file, max_file_bytes=max_file_bytes)

    monkeypatch.setattr("rag.indexing.writer.load_file", unreadable)
    report = base.ingest(garden)
    assert report.skipped_by_reason == {"unreadable": 1}
    assert report.deleted == 0
    assert "peas.md" in found(base, "Sow")


def test_single_files_and_texts_survive_the_next_run_over_a_folder(
    base: KnowledgeBase, garden: Path, tmp_path: Path
):
    (tmp_path / "lone.md").write_text("# Lone\n\nA heron stands alone.\n")
    base.ingest(garden)
    base.ingest(tmp_path / "lone.md")
    base.ingest_text("# Said\n\nA wren sang.\n", name="said/today.md")
    base.ingest_text("# Bytes\n\nÄ finch.\n".encode("utf-16"), name="said/bytes.md")
    (garden / "beans.md").unlink()
    assert base.ingest(garden).deleted == 1
    assert found(base, "heron") == ["lone.md"]
    assert found(base, "wren") == ["said/today.md"]
    assert found(base, "finch") == ["said/bytes.md"]
    assert {document.source for document in base.documents()} == {"default", "files"}
    again = base.ingest(tmp_path / "lone.md")
    assert counts(again) == {"scanned": 1, "unchanged": 1}


def test_two_folders_need_two_source_names(base: KnowledgeBase, garden: Path, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "peas.md").write_text("# Other peas\n\nFrozen peas.\n")
    base.ingest(garden)
    with pytest.raises(InvalidArgumentError, match="already holds the folder"):
        base.ingest(other)
    with pytest.raises(InvalidArgumentError, match="already holds the folder"):
        base.ingest(garden / "peas.md", source="default")
    assert base.ingest(other, source="other").deleted == 0
    assert paths(base).count("peas.md") == 2
    assert [d.source for d in base.documents({"source": "other"})] == ["other"]


def test_sources_have_trust_and_type_and_a_change_of_them_reaches_every_chunk(
    base: KnowledgeBase, garden: Path
):
    base.ingest(garden, source="wiki", trust="generated", source_type="note", tags=["x"])
    assert found(base, "Sow") == ["peas.md"]
    assert base.search("Sow", filters={"trust_min": "secondary"}).hits == ()
    report = base.ingest(garden, source="wiki", trust="primary", source_type="note", tags=["y"])
    assert counts(report) == {"scanned": 4, "updated": 4}
    hits = base.search("Sow", filters={"trust_min": "secondary", "tags": "y"}, mode="lexical").hits
    assert [hit.doc_path for hit in hits] == ["peas.md"]
    assert base.documents({"tags": "x"}) == ()


def test_changed_metadata_embeds_nothing_again(base: KnowledgeBase, garden: Path):
    """Vectors are kept by model and content."""
    first = base.ingest(garden)
    assert first.chunks_written == first.chunks_embedded + first.vectors_from_cache == 4
    report = base.ingest(garden, tags=["new"])
    assert report.updated == 4
    assert (report.chunks_embedded, report.vectors_from_cache) == (0, 4)
    forced = base.ingest(garden, tags=["new"], force=True)
    assert (forced.updated, forced.chunks_embedded) == (4, 0)


def test_tenants_are_apart_in_every_channel(base: KnowledgeBase, garden: Path):
    base.ingest(garden, source="a", tenant="a")
    base.ingest(garden, source="b", tenant="b")
    for mode in ("hybrid", "lexical", "vector"):
        hits = base.search("peas", mode=mode, filters={"tenant": "a"}, k=50).hits
        assert hits
        assert {hit.source for hit in hits} == {"a"}


@pytest.mark.parametrize("store", ["base", "base.db"])
def test_scripts_that_the_embedder_does_not_read_are_reported_and_found_by_words(
    open_base: OpenBase, tmp_path: Path, store: str
):
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / "en.md").write_text("# Backups\n\nBackups are kept for two weeks.\n")
    (folder / "zh.md").write_text("# 备份\n\n备份保留十四天。\n")
    base = open_base(store, embedding={"embedder": "minilm", "workers": 1})
    report = base.ingest(folder)
    assert (report.chunks_written, report.chunks_embedded, report.chunks_not_embedded) == (2, 1, 1)
    result = base.search("备份保留")
    assert [hit.doc_path for hit in result.hits] == ["zh.md"]
    assert result.channels["vector"].status == "not_covered"
    by_file = {file.uri: file.chunks_not_embedded for file in report.files}
    assert by_file == {"en.md": 0, "zh.md": 1}


class StopsAfter:
    """A progress listener that ends the run after some files."""

    def __init__(self, files: int) -> None:
        self._left = files

    def scanned(self, files: int) -> None: ...

    def embedded(self, chunks: int) -> None: ...

    def indexing(self, step: str, done: int, total: int) -> None: ...

    def file_done(self, uri: str, outcome: str) -> None:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("store", ["base", "base.db"])
def test_an_interrupted_run_keeps_whole_documents_and_the_next_goes_on(
    open_base: OpenBase, garden: Path, store: str
):
    base = open_base(store, ingest={"batch_chunks": 1})
    with pytest.raises(KeyboardInterrupt):
        base.ingest(garden, progress=StopsAfter(2))
    stored = paths(base)
    assert 0 < len(stored) < 4
    for document in base.documents():
        assert len(base.parts.store.chunks(document.doc_id)) == document.chunk_count
    report = base.ingest(garden)
    assert report.unchanged == len(stored)
    assert report.new == 4 - len(stored)
    assert len(paths(base)) == 4


class FaultyEmbedder(HashingEmbedder):
    """Refuses one text, or all."""

    def __init__(self, marked: str, error: type[EmbeddingError]) -> None:
        super().__init__()
        self._marked = marked
        self._error = error

    def embed_documents(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        if any(self._marked in text for text in texts):
            raise self._error("refused")
        return super().embed_documents(texts)


def test_one_text_that_cannot_be_embedded_costs_its_neighbours_nothing(
    open_base: OpenBase, garden: Path, monkeypatch: pytest.MonkeyPatch
):
    faulty = FaultyEmbedder("climb", InvalidVectorError)
    monkeypatch.setattr("rag.assembly.opening.build_embedder", lambda settings: faulty)
    base = open_base()
    report = base.ingest(garden)
    assert counts(report) == {"scanned": 4, "new": 3, "failed": 1}
    assert paths(base) == ["beds/one.md", "beds/two.md", "peas.md"]
    assert [file.uri for file in report.files if file.outcome == "failed"] == ["beans.md"]


def test_a_model_that_fails_stops_the_run_and_loses_nothing_written(
    open_base: OpenBase, garden: Path, monkeypatch: pytest.MonkeyPatch
):
    faulty = FaultyEmbedder("Sow", EmbeddingError)
    monkeypatch.setattr("rag.assembly.opening.build_embedder", lambda settings: faulty)
    base = open_base(ingest={"batch_chunks": 1})
    with pytest.raises(EmbeddingError):
        base.ingest(garden)
    assert paths(base) == ["beans.md", "beds/one.md", "beds/two.md"][: len(paths(base))]
    assert all(check.ok for check in base.parts.store.check())


@pytest.mark.parametrize("name", ["/abs.md", "../up.md", "a/../../up.md", "noext", "a.exe", ""])
def test_a_text_needs_a_relative_name_with_a_known_suffix(open_base: OpenBase, name: str):
    with pytest.raises(InvalidArgumentError):
        open_base().ingest_text("# A\n", name=name)


def test_a_named_file_that_cannot_be_stored_is_an_error_and_keeps_what_was_there(
    base: KnowledgeBase, tmp_path: Path
):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\nA kestrel hovers.\n")
    base.ingest(page)
    page.write_bytes(b"")
    with pytest.raises(UnreadableFileError, match="empty"):
        base.ingest(page)
    assert found(base, "kestrel") == ["page.md"]
    (tmp_path / "x.exe").write_bytes(b"MZ")
    with pytest.raises(UnreadableFileError, match="unsupported"):
        base.ingest(tmp_path / "x.exe")
    with pytest.raises(PathNotFoundError):
        base.ingest(tmp_path / "nothing.md")


def test_a_paragraph_without_a_break_is_split_and_nothing_is_cut_off(base: KnowledgeBase):
    words = " ".join(f"word{number}" for number in range(20_000))
    base.ingest_text(words, name="long.txt")
    whole = base.fetch_document("long.txt")
    assert whole.text == words
    assert found(base, "word19999") == ["long.txt"]
    assert len(base.inspect_document("long.txt").chunks) > 50


CONTROLS = ("\x00", "\t", "\n", "\x1b", "\x7f", "\x85", "\u2028")


@pytest.mark.scenario("ingestion", "A control character in a name")
def test_a_file_name_with_a_control_character_is_reported_and_its_neighbours_are_stored(
    base: KnowledgeBase, tmp_path: Path
):
    folder = tmp_path / "odd"
    (folder / "s\tub").mkdir(parents=True)
    for name in ("plain.md", "a\nb.md", "s\tub/x.md", "Icon\r"):
        (folder / name).write_text("Peas climb.")
    report = base.ingest(folder)
    assert paths(base) == ["plain.md"]
    assert {one.uri: (one.reason, one.detail) for one in report.files if one.reason} == {
        "Icon\r": ("unsupported", None),
        r"a\nb.md": ("unreadable", "the file name has the control character U+000A; rename it"),
        r"s\tub/x.md": ("unreadable", "the file name has the control character U+0009; rename it"),
    }
    with pytest.raises(UnreadableFileError, match=r"control character U\+000A"):
        base.ingest(folder / "a\nb.md")


@pytest.mark.scenario("ingestion", "A control character in a name")
@pytest.mark.parametrize("char", [*CONTROLS, "\ud800"])
def test_a_text_is_refused_under_a_name_with_a_control_character(base: KnowledgeBase, char: str):
    for text in ("Peas climb.", b"Peas climb."):
        with pytest.raises(InvalidArgumentError) as caught:
            base.ingest_text(text, name=f"notes/a{char}b.md")
        error = caught.value.to_wire()
        assert error["allowed"]
        assert error["hint"]
        assert not set(error["message"]) & set(CONTROLS)
    assert paths(base) == []
