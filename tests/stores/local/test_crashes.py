"""A writer that dies at any step leaves a store that opens, shows whole documents, and goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rag.errors import StoreError
from rag.ranking.records import SearchMode
from rag.testing.store_contract_parts.corpus import document, search
from tests.stores.local.killed_writer import new_texts, write
from tests.stores.local.opening import local_store
from tests.stores.local.test_vector_search import by_vector, unit_vectors

ROOT = Path(__file__).parents[3]
POINTS = 60  # of some hundred statements, so every step of a write is met


def run(module: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a module of this folder in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", f"tests.stores.local.{module}", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def texts_by_uri(store) -> dict[str, list[str]]:
    """Return the stored texts of every document."""
    return {d.uri: [c.text for c in store.chunks(d.doc_id)] for d in store.documents()}


OLD = {
    uri: [f"older {uri} part{part} raven" for part in range(3)]
    for uri in ("a.md", "b.md", "gone.md")
}
WRITTEN = {**OLD, **{uri: new_texts(uri) for uri in ("a.md", "b.md", "new.md")}}
DONE = {uri: texts for uri, texts in WRITTEN.items() if uri != "gone.md"}


@pytest.mark.parametrize("existing", [True, False], ids=["an-old-base", "a-new-base"])
@pytest.mark.scenario("local-store", "A writer is killed")
def test_a_writer_that_is_killed_at_any_step_leaves_whole_documents(tmp_path, existing) -> None:
    base = tmp_path / "base"
    if existing:
        store = local_store(base)
        store.write_documents([document(uri, *texts) for uri, texts in OLD.items()])
        store.close()
    done = run("killed_writer", base, tmp_path / "copies", POINTS)
    assert (done.returncode, done.stderr) == (0, "")
    allowed = [OLD, WRITTEN, DONE] if existing else [{}, DONE]
    copies = [path for path in (tmp_path / "copies").iterdir() if path.name != "trial"]
    assert len(copies) >= POINTS // 2
    seen = []
    for copy in copies:
        store = local_store(copy)
        there = texts_by_uri(store)
        assert there in allowed, copy.name
        seen.append(there)
        every_text = sorted(text for texts in there.values() for text in texts)
        for mode in SearchMode:
            found = search(store, "raven older newer", mode, k=50)
            assert sorted(hit.chunk.text for hit in found.hits) == every_text, copy.name
            assert found.ghosts == 0
        assert all(line.ok for line in store.check()), copy.name
        write(copy)
        assert texts_by_uri(store) == DONE, copy.name
        assert store.repair() == ()
        store.close()
    assert all(state in seen for state in allowed[:2] if existing)


def test_a_full_disk_undoes_the_write_and_says_so(tmp_path) -> None:
    store = local_store(tmp_path / "base")
    store.write_documents([document("a.md", "raven")])
    before = store.revision()
    with store._engine.database.read() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="full"):
        store.write_documents([document("b.md", *(f"raven {n} " * 500 for n in range(40)))])
    assert store.revision() == before
    assert texts_by_uri(store) == {"a.md": ["raven"]}
    assert all(line.ok for line in store.check())
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("step", ["copy", "train", "measure", "recorded"])
@pytest.mark.scenario("local-store", "An index build is killed")
def test_an_index_build_that_is_killed_leaves_a_store_that_answers(tmp_path, step) -> None:
    limit, folder = 200, tmp_path / "base"
    vectors = unit_vectors(600)
    store = local_store(folder, exact_limit=limit)
    store.write_documents([document("a.md", *["x"] * 600, vectors=vectors)])
    died = run("killed_builder", folder, limit, step)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert by_vector(store, vectors[3], k=1) == [("a.md", 1.0)]
    assert len(by_vector(store, vectors[3])) == 200
    store.repair()
    assert all(line.ok for line in store.check())
    assert len(list((folder / "lance").glob("*.lance"))) == 1
    assert by_vector(store, vectors[3], k=1) == [("a.md", 1.0)]
    store.close()
