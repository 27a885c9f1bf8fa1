"""A store that is open while others write answers like one that is opened now."""

from __future__ import annotations

import gc
import os
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import StoreNotInitialisedError
from rag.ranking.records import SearchMode
from rag.stores.local import document_writer, row_table, vector_matrix
from rag.testing.store_contract_parts.corpus import document, document_id, search
from tests.stores.local.opening import local_store

WORDS = ("ibis", "jay", "kite", "lark", "merlin")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "delete"]),
        st.integers(0, 5),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.scenario("local-store", "A reader follows every write")
@given(steps=STEPS, tolerated=st.sampled_from([0, 1, 1_000]))
@settings(max_examples=25, deadline=None)
def test_a_reader_that_followed_every_write_answers_like_a_new_one(
    tmp_path_factory, steps, tolerated
) -> None:
    folder = tmp_path_factory.mktemp("followed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_table, "TOLERATED_DEAD", tolerated)
        patch.setattr(vector_matrix, "BLOCK_ROWS", 3)
        writer, reader = local_store(folder), local_store(folder)
        for generation, (action, number, words) in enumerate(steps, 1):
            uri = f"{number}.md"
            if action == "write":
                writer.write_documents([document(uri, *words, generation=generation)])
            else:
                writer.delete_documents([document_id(uri)])
            new = local_store(folder)
            for mode in SearchMode:
                for filters in ({}, {"path_prefix": "1"}):
                    followed = search(reader, " ".join(WORDS), mode, filters=filters, k=50)
                    fresh = search(new, " ".join(WORDS), mode, filters=filters, k=50)
                    assert followed.hits == fresh.hits
                    assert (followed.total, followed.revision) == (fresh.total, fresh.revision)
            assert reader.unmatched_terms(WORDS) == new.unmatched_terms(WORDS)
            new.close()
        assert all(line.ok for line in reader.check())
        writer.close()
        reader.close()


def test_a_reader_that_fell_far_behind_catches_up(folder, monkeypatch) -> None:
    monkeypatch.setattr(document_writer, "REMEMBERED_REVISIONS", 3)
    writer, reader = local_store(folder), local_store(folder)
    writer.write_documents([document("a.md", "gone later"), document("b.md", "stays")])
    assert len(search(reader, "gone stays").hits) == 2
    writer.delete_documents([document_id("a.md")])
    for n in range(10):
        writer.write_documents([document(f"{n}.md", "filler")])
    assert [h.chunk.uri for h in search(reader, "gone stays", SearchMode.LEXICAL).hits] == ["b.md"]
    writer.close()
    reader.close()


def test_a_store_that_was_removed_and_made_anew_shows_only_the_new_one(folder) -> None:
    old = local_store(folder)
    old.write_documents([document("a.md", "old heron")])
    assert len(search(old, "heron").hits) == 1
    before = old.revision()
    shutil.rmtree(folder)
    new = local_store(folder)
    new.write_documents([document("b.md", "new heron")])
    assert [hit.chunk.uri for hit in search(old, "heron").hits] == ["b.md"]
    assert old.revision() != before
    old.close()
    new.close()


@pytest.mark.parametrize("made_by", ["another", "itself"])
def test_a_store_that_was_asked_while_its_folder_was_gone_sees_the_one_made_after(
    folder, made_by: str
) -> None:
    store = local_store(folder)
    store.write_documents([document("a.md", "old heron")])
    shutil.rmtree(folder)
    for _ in range(2):
        with pytest.raises(StoreNotInitialisedError):
            search(store, "heron")
    maker = store if made_by == "itself" else local_store(folder)
    maker.write_documents([document("b.md", "new heron")])
    assert [hit.chunk.uri for hit in search(store, "heron").hits] == ["b.md"]
    maker.close()
    store.close()


@pytest.mark.scenario("local-store", "Sixteen threads get equal answers")
def test_sixteen_threads_search_one_store_while_it_is_written(store) -> None:
    store.write_documents([document("fixed.md", "puffin", title="puffin")])
    failures: list[object] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            for mode in SearchMode:
                response = search(store, "puffin", mode)
                if response.hits[0].chunk.uri != "fixed.md":
                    failures.append(response)

    threads = [threading.Thread(target=look) for _ in range(16)]
    for thread in threads:
        thread.start()
    for n in range(15):
        store.write_documents([document(f"{n % 4}.md", f"filler number{n}", generation=n + 1)])
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []


def test_threads_that_ended_leave_no_open_file(store) -> None:
    store.write_documents([document("a.md", "plover")])
    search(store, "plover")
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        thread = threading.Thread(target=lambda: search(store, "plover"))
        thread.start()
        thread.join()
    gc.collect()
    assert len(list(Path("/dev/fd").iterdir())) <= before + 3


def test_a_forked_child_reads_and_leaves_its_parent_s_connection_alone(store) -> None:
    store.write_documents([document("a.md", "plover")])
    assert len(search(store, "plover", SearchMode.LEXICAL).hits) == 1
    child = os.fork()
    if child == 0:
        found = search(store, "plover", SearchMode.LEXICAL).hits
        os._exit(0 if len(found) == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.write_documents([document("b.md", "plover")])
    assert len(search(store, "plover", SearchMode.LEXICAL).hits) == 2
    assert all(line.ok for line in store.check())


def test_sixty_five_thousand_repetitions_of_a_word_do_not_overflow(store) -> None:
    store.write_documents([document("a.md", "tern " * 70_000, title="", vectors=[None])])
    (hit,) = search(store, "tern", SearchMode.LEXICAL, vector=None).hits
    assert np.isfinite(hit.score)
    assert hit.score > 0
