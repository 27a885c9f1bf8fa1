"""Above the exact limit LanceDB finds the candidates; SQLite still decides."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rag.errors import MissingExtraError, StoreLockedError
from rag.ranking.records import SearchMode
from rag.stores.local import vector_retriever
from rag.stores.local.write_lock import write_lock
from rag.testing.store_contract_parts.corpus import document, document_id, search
from tests.stores.local.opening import local_store
from tests.stores.local.test_vector_search import by_vector, unit_vectors

LIMIT = 500
COUNT = 6_000  # of random vectors, which have no clusters: the hardest case for an index


def line_of(store, name: str):
    """Return the health line of that name."""
    (line,) = [line for line in store.check() if line.name == name]
    return line


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Return a folder with a base above the limit and its index."""
    folder = tmp_path_factory.mktemp("large") / "base"
    store = local_store(folder, exact_limit=LIMIT)
    vectors = unit_vectors(COUNT)
    store.write_documents(
        [
            document(
                f"{n}.md", *["x"] * 100, tags=(f"t{n % 10}",), vectors=vectors[n * 100 :][:100]
            )
            for n in range(COUNT // 100)
        ]
    )
    steps: list[str] = []
    assert store.build_index(lambda step, done, total: steps.append(step))
    assert list(dict.fromkeys(steps)) == ["copy", "train", "measure"]
    assert not store.build_index()  # nothing is due any more
    store.close()
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """Return a copy of that folder."""
    return Path(shutil.copytree(built, tmp_path / "base"))


@pytest.mark.scenario("local-store", "The index loses little")
def test_recall_at_ten_is_at_least_97_percent_of_exact_search(built) -> None:
    vectors = unit_vectors(COUNT).astype(np.float64)
    exact, indexed = local_store(built), local_store(built, exact_limit=LIMIT)
    found = 0
    queries = unit_vectors(50, seed=9)
    for query in queries:
        cosines = np.sort(vectors @ query)[::-1]
        by_index = by_vector(indexed, query, k=10)
        found += len(set(by_index) & set(by_vector(exact, query, k=10)))
        assert by_index[0][1] == pytest.approx(cosines[0], abs=1e-6)
    assert found >= 0.97 * 10 * len(queries)
    exact.close()
    indexed.close()


@pytest.mark.scenario("local-store", "What is not indexed yet is found beside the index")
def test_new_rows_are_found_and_removed_ones_are_not(folder) -> None:
    store = local_store(folder, exact_limit=LIMIT)
    vectors = unit_vectors(COUNT)
    (new,) = unit_vectors(1, seed=10)
    store.write_documents([document("new.md", "x", vectors=[new])])
    assert by_vector(store, new, k=1) == [("new.md", 1.0)]
    (before,) = {uri for uri, score in by_vector(store, vectors[0], k=1) if score == 1.0}
    store.delete_documents([document_id(before)])
    assert before not in {uri for uri, _ in by_vector(store, vectors[0])}
    assert len(by_vector(store, vectors[0])) == 200
    assert line_of(store, "vector index").ok
    store.close()


@pytest.mark.scenario("local-store", "A filter reaches all that passes in a large base")
@pytest.mark.parametrize("tags", [("t3",), tuple(f"t{n}" for n in range(8))])
def test_a_filter_over_an_index_agrees_with_exact_search(built, tags, monkeypatch) -> None:
    monkeypatch.setattr(vector_retriever, "FEW", 50)  # so that the index is asked
    exact, indexed = local_store(built), local_store(built, exact_limit=LIMIT)
    queries = unit_vectors(20, seed=11)
    for candidates in (10, 200):
        shared = 0
        for query in queries:
            wanted = by_vector(exact, query, tags=tags, k=10)
            found = by_vector(indexed, query, tags=tags, k=10, candidates=candidates)
            shared += len(set(wanted) & set(found))
        # the promise is recall over queries; the index is trained anew each time, on chance
        assert shared >= 0.97 * 10 * len(queries)
    (one,) = unit_vectors(1, seed=12)
    assert len(by_vector(indexed, one, tags=tags)) == 200
    exact.close()
    indexed.close()


@pytest.mark.scenario("local-store", "A damaged index costs time, not answers")
@pytest.mark.parametrize("damage", ["missing", "emptied", "garbled"])
def test_a_damaged_index_is_replaced_by_exact_search_until_it_is_built_anew(folder, damage) -> None:
    (build,) = (folder / "lance").glob("*.lance")
    if damage == "missing":
        shutil.rmtree(folder / "lance")
    else:
        for path in [path for path in build.rglob("*") if path.is_file()]:
            path.write_bytes(b"" if damage == "emptied" else b"\x00garbage" * 100)
    store = local_store(folder, exact_limit=LIMIT)
    vectors = unit_vectors(COUNT)
    assert by_vector(store, vectors[5], k=1)[0][1] == 1.0
    assert not line_of(store, "vector index").ok
    assert store.repair() == ("Built the vector index anew.",)
    assert line_of(store, "vector index").ok
    assert by_vector(store, vectors[5], k=1)[0][1] == 1.0
    assert len(list((folder / "lance").glob("*.lance"))) == 1
    store.close()


def test_an_index_that_much_changed_since_is_due_again(folder) -> None:
    store = local_store(folder, exact_limit=LIMIT)
    more = unit_vectors(1_500, seed=13)
    store.write_documents(
        [document(f"more{n}.md", *["x"] * 100, vectors=more[n * 100 :][:100]) for n in range(15)]
    )
    line = line_of(store, "vector index")
    assert not line.ok
    assert "1500 vectors not indexed" in line.detail
    assert store.build_index()
    assert line_of(store, "vector index").ok
    assert by_vector(store, more[0], k=1)[0][1] == 1.0
    store.close()


def test_a_build_that_was_cut_short_is_removed_by_the_next(folder) -> None:
    rest = folder / "lance" / "vectors_1_deadbeef.lance"
    rest.mkdir()
    (rest / "half").write_bytes(b"x")
    store = local_store(folder, exact_limit=LIMIT)
    assert line_of(store, "vector index").ok
    assert not store.build_index()
    assert not rest.exists()
    store.close()


def test_two_builders_do_not_meet(folder) -> None:
    store = local_store(folder, exact_limit=LIMIT)
    with write_lock(folder / "index.lock", timeout_s=0), pytest.raises(StoreLockedError):
        store.build_index(force=True)
    store.close()


@pytest.mark.scenario("local-store", "LanceDB is not there")
def test_without_lancedb_searches_are_exact_and_a_build_says_what_to_install(
    folder, monkeypatch
) -> None:
    monkeypatch.setitem(sys.modules, "lancedb", None)
    monkeypatch.delitem(sys.modules, "rag.stores.local.lance_table", raising=False)
    store = local_store(folder, exact_limit=LIMIT)
    vectors = unit_vectors(COUNT)
    assert by_vector(store, vectors[5], k=1)[0][1] == 1.0
    with pytest.raises(MissingExtraError) as caught:
        store.build_index(force=True)
    assert caught.value.hint == "pip install 'rag-evidence[lancedb]'"
    store.close()


@pytest.mark.scenario("local-store", "A small base imports no engine")
def test_a_base_below_the_limit_never_imports_lancedb_or_pymilvus(tmp_path) -> None:
    script = """
import sys
from pathlib import Path
from tests.stores.local.opening import local_store
from rag.testing.store_contract_parts.corpus import document, search
store = local_store(Path(sys.argv[1]))
store.write_documents([document("a.md", "words")])
assert len(search(store, "words").hits) == 1
store.build_index(); store.check(); store.repair(); store.close()
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded & {"lancedb", "lance", "pyarrow", "pandas", "pymilvus", "milvus_lite", "grpc"}))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "base")],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.stdout == "[]\n"
    assert done.stderr == ""


def test_hybrid_search_over_an_index_has_both_channels(built) -> None:
    store = local_store(built, exact_limit=LIMIT)
    response = search(store, "x", SearchMode.HYBRID, vector=unit_vectors(COUNT)[7], k=5)
    assert {report.status for report in response.channels.values()} == {"ok"}
    assert {report.count for report in response.channels.values()} == {200}
    store.close()
