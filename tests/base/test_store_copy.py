"""Copying between stores: whole, checked, resumable, and without a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import rag
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidArgumentError, ReadonlyError, StoreError, StoreNotInitialisedError
from rag.indexing.ingest_tally import SilentProgress
from rag.ingest.records import Document
from rag.maintenance.base_copy import copy_base
from rag.samples import handbook_path
from rag.settings import Settings
from rag.stores.protocol import KnowledgeStore
from rag.stores.records import DocumentWrite
from rag.stores.store_copy import copy_store
from tests.base.conftest import OpenBase


@pytest.fixture
def settings() -> Settings:
    return rag.load_settings(embedding={"embedder": "hashing"})


@pytest.fixture
def source(open_base: OpenBase) -> KnowledgeBase:
    base = open_base("source")
    base.ingest(handbook_path(), source="handbook", trust="secondary")
    base.ingest_text("# 附录\n\n一段没有标题的话。\n", name="said.md", tags=["a", "b c"])
    return base


def exported(store: KnowledgeStore) -> list[tuple[Document, list[object], dict[str, bytes]]]:
    writes = store.export([document.doc_id for document in store.documents()])
    return [
        (w.document, list(w.chunks), {k: v.tobytes() for k, v in sorted(w.vectors.items())})
        for w in writes
    ]


@pytest.mark.scenario("cli", "An interrupted copy")
@pytest.mark.parametrize("target", ["target", "target.db"])
def test_a_copy_holds_everything_and_goes_on_where_it_was_stopped(
    source: KnowledgeBase,
    open_base: OpenBase,
    settings: Settings,
    tmp_path: Path,
    target: str,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("rag.stores.store_copy.BATCH_CHUNKS", 4)

    class Stops(SilentProgress):
        done = 0

        def file_done(self, uri: str, outcome: str) -> None:
            self.done += 1
            if self.done == 4:
                raise KeyboardInterrupt

    places = str(tmp_path / "source"), str(tmp_path / target)
    with pytest.raises(KeyboardInterrupt):
        copy_base(*places, settings, Stops())
    report = copy_base(*places, settings)
    assert report.documents == report.copied + report.unchanged == 9
    assert report.unchanged >= 3
    assert report.only_in_target == 0
    with open_base(target) as copied:
        assert exported(copied.parts.store) == exported(source.parts.store)
        assert copied.parts.store.sources() == source.parts.store.sources()
        theirs, ours = (base.parts.store.stats() for base in (copied, source))
        assert (theirs.documents, theirs.chunks, theirs.chunks_with_vector) == (
            ours.documents,
            ours.chunks,
            ours.chunks_with_vector,
        )
        assert theirs.manifest.embedder == ours.manifest.embedder


def test_a_copy_loads_no_model(source: KnowledgeBase, settings: Settings, tmp_path: Path):
    broken = settings.model_copy(
        update={
            "embedding": settings.embedding.model_copy(
                update={"embedder": "onnx", "path": tmp_path / "no-model"}
            )
        }
    )
    report = copy_base(str(tmp_path / "source"), str(tmp_path / "target"), broken)
    assert report.copied == 9
    assert "hashing" in report.embedder


def test_an_older_or_newer_document_of_the_target_becomes_the_source_s(
    source: KnowledgeBase, open_base: OpenBase, settings: Settings, tmp_path: Path
):
    for place in ("target", "target.db"):
        target = open_base(place)
        for text in ("# One\n\nfirst\n", "# Two\n\nsecond\n", "# Three\n\nthird\n"):
            target.ingest_text(text, name="said.md")
        target.ingest_text("# Own\n\nOnly here.\n", name="own.md")
        target.close()
        report = copy_base(str(tmp_path / "source"), str(tmp_path / place), settings)
        assert (report.copied, report.only_in_target) == (9, 1)
        again = open_base(place)
        assert again.search("third", mode="lexical").hits == ()
        assert again.fetch_document("said.md").text.startswith("# 附录")
        assert again.fetch_document("own.md").text.startswith("# Own")
        assert all(check.ok for check in again.parts.store.check())
        again.close()


def test_a_target_of_another_embedder_is_refused(
    source: KnowledgeBase, open_base: OpenBase, settings: Settings, tmp_path: Path
):
    target = open_base("target", embedding={"embedder": "none"})
    target.ingest_text("# A\n", name="a.md")
    target.close()
    with pytest.raises(StoreError) as raised:
        copy_base(str(tmp_path / "source"), str(tmp_path / "target"), settings)
    assert raised.value.code == "index_identity_mismatch"


def test_one_place_is_no_two_stores(source: KnowledgeBase, settings: Settings, tmp_path: Path):
    place = tmp_path / "source"
    with pytest.raises(InvalidArgumentError, match="same place"):
        copy_base(str(place), str(place / ".." / "source"), settings)
    with pytest.raises(InvalidArgumentError, match="same store"):
        copy_store(source.parts.store, source.parts.store, SilentProgress())


def test_what_is_not_there_is_not_copied_and_nothing_is_made(settings: Settings, tmp_path: Path):
    with pytest.raises(StoreNotInitialisedError):
        copy_base(str(tmp_path / "no"), str(tmp_path / "target"), settings)
    readonly = settings.model_copy(update={"readonly": True})
    with pytest.raises(ReadonlyError):
        copy_base(str(tmp_path / "no"), str(tmp_path / "target"), readonly)
    assert not (tmp_path / "target").exists()


class Altering:
    """A store that changes what it is given, to see whether a copy notices."""

    def __init__(self, store: KnowledgeStore, what: str) -> None:
        self._store = store
        self._what = what

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def write_documents(self, writes: Sequence[DocumentWrite]) -> None:
        if self._what == "lost":
            writes = writes[1:]
        elif self._what == "vector":
            writes = [
                DocumentWrite(
                    document=write.document,
                    chunks=write.chunks,
                    vectors={key: np.roll(value, 1) for key, value in write.vectors.items()},
                )
                for write in writes
            ]
        self._store.write_documents(writes)


@pytest.mark.parametrize("what", ["lost", "vector"])
def test_a_target_that_does_not_hold_what_it_was_given_is_found_out(
    source: KnowledgeBase, open_base: OpenBase, what: str
):
    target = Altering(open_base("target").parts.store, what)
    with pytest.raises(StoreError, match="did not come back"):
        copy_store(source.parts.store, target, SilentProgress())  # type: ignore[arg-type]  # by duck


def test_a_source_that_changes_meanwhile_is_told(source: KnowledgeBase, open_base: OpenBase):
    class Deletes(SilentProgress):
        def scanned(self, files: int) -> None:
            source.delete("said.md")

    target = open_base("target").parts.store
    with pytest.raises(StoreError, match="the source changed during the copy"):
        copy_store(source.parts.store, target, Deletes())
    assert copy_store(source.parts.store, target, SilentProgress()).unchanged == 8
