"""A base whose folder is removed or replaced while it is open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import StoreNotInitialisedError
from tests.base.conftest import OpenBase

CALLS = {
    "search": lambda base: base.search("plover"),
    "lookup": lambda base: base.lookup("plover"),
    "documents": lambda base: base.documents(),
    "fetch": lambda base: base.fetch_document("a.md"),
    "describe": lambda base: base.describe(),
    "ingest": lambda base: base.ingest_text("A new plover.", name="b.md"),
}


@pytest.mark.scenario("knowledge-stores", "The folder of an open base is removed")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_base_whose_folder_is_gone_answers_with_an_error_and_not_from_memory(
    base: KnowledgeBase, call, tmp_path: Path
):
    base.ingest_text("A plover.", name="a.md")
    place = Path(base.settings.store.uri)
    shutil.rmtree(place)
    with pytest.raises(StoreNotInitialisedError) as caught:
        call(base)
    assert caught.value.given == str(place)
    assert caught.value.hint
    base.close()
    assert not place.exists()  # nothing of it came back


@pytest.mark.scenario("knowledge-stores", "The folder of an open base is removed")
@pytest.mark.parametrize("place", ["base", "base.db"], ids=["local", "milvus"])
def test_after_closing_a_new_base_is_made_in_the_same_place(
    open_base: OpenBase, place: str, tmp_path: Path
):
    first = open_base(place)
    first.ingest_text("A plover.", name="a.md")
    shutil.move(tmp_path / place, tmp_path / "elsewhere")
    with pytest.raises(StoreNotInitialisedError):
        first.search("plover")
    first.close()
    second = open_base(place)
    second.ingest_text("A curlew.", name="b.md")
    assert [hit.doc_path for hit in second.search("plover curlew").hits] == ["b.md"]
    again = f"again-{place}"
    shutil.move(tmp_path / "elsewhere", tmp_path / again)
    assert [hit.doc_path for hit in open_base(again).search("plover").hits] == ["a.md"]
