from __future__ import annotations

import logging
import multiprocessing
import sqlite3
import stat
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rag.embedding import EmbedderIdentity, VectorCache, default_cache_path

MODEL = EmbedderIdentity(name="model", revision="1", dimensions=384)


def unit_vectors(prefix: str, count: int) -> dict[str, NDArray[np.float32]]:
    rows = np.random.default_rng(count).standard_normal((count, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return {f"{prefix}{i}": row for i, row in enumerate(rows)}


def warnings_in(caplog: pytest.LogCaptureFixture) -> int:
    return sum(record.levelno == logging.WARNING for record in caplog.records)


def test_vectors_come_back_bit_for_bit_also_in_another_process(tmp_path: Path) -> None:
    vectors = unit_vectors("h", 3)
    VectorCache(tmp_path / "new" / "folder" / "v.sqlite").put_many(MODEL, vectors)
    found = VectorCache(tmp_path / "new" / "folder" / "v.sqlite").get_many(
        MODEL, ["h2", "absent", "h0", "h2"]
    )
    assert sorted(found) == ["h0", "h2"]
    assert found["h2"].dtype == np.float32
    assert np.array_equal(found["h2"], vectors["h2"])
    found["h2"][0] = 9  # a copy of its own, and writable


@pytest.mark.scenario("embedding", "Kept for the same model only")
def test_a_vector_is_found_under_its_own_identity_alone(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")
    cache.put_many(MODEL, unit_vectors("h", 1))
    for other in (
        EmbedderIdentity(name="other", revision="1", dimensions=384),
        EmbedderIdentity(name="model", revision="2", dimensions=384),
        EmbedderIdentity(name="model", revision="1", dimensions=383),
    ):
        assert cache.get_many(other, ["h0"]) == {}
    assert list(cache.get_many(MODEL, ["h0"])) == ["h0"]


def test_a_vector_kept_again_replaces_the_old_one(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")
    old, new = unit_vectors("h", 2).values()
    cache.put_many(MODEL, {"h": old})
    cache.put_many(MODEL, {"h": new})
    assert np.array_equal(cache.get_many(MODEL, ["h"])["h"], new)


@pytest.mark.scenario("embedding", "Damaged file")
def test_a_damaged_file_is_reported_once_and_left_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "v.sqlite"
    file.write_bytes(b"this is no database " * 500)
    cache = VectorCache(file)
    for _ in range(10):
        assert cache.get_many(MODEL, ["h0"]) == {}
        cache.put_many(MODEL, unit_vectors("h", 1))
    assert warnings_in(caplog) == 1
    assert str(file) in caplog.text
    assert file.read_bytes() == b"this is no database " * 500


@pytest.mark.scenario("embedding", "Another program's database")
def test_another_programs_database_is_left_unchanged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "v.sqlite"
    with sqlite3.connect(file) as foreign:
        foreign.execute("CREATE TABLE vector (x)")
    before = file.read_bytes()
    VectorCache(file).put_many(MODEL, unit_vectors("h", 1))
    assert file.read_bytes() == before
    assert warnings_in(caplog) == 1


def test_a_place_that_cannot_be_written_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("not a folder")
    cache = VectorCache(tmp_path / "file" / "v.sqlite")
    for _ in range(3):
        cache.put_many(MODEL, unit_vectors("h", 1))
        assert cache.get_many(MODEL, ["h0"]) == {}
    assert warnings_in(caplog) == 1


def test_a_file_that_breaks_while_in_use_breaks_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")
    cache.put_many(MODEL, unit_vectors("h", 1))
    with sqlite3.connect(tmp_path / "v.sqlite") as other:
        other.execute("DROP TABLE vector")
    assert cache.get_many(MODEL, ["h0"]) == {}
    cache.put_many(MODEL, unit_vectors("h", 1))
    assert warnings_in(caplog) == 1


@pytest.mark.scenario("embedding", "Damaged row")
@pytest.mark.parametrize(
    "row",
    [
        b"",
        b"x",
        np.zeros(384, dtype="<f4").tobytes(),
        np.full(384, np.nan, dtype="<f4").tobytes(),
        np.ones(384, dtype="<f4").tobytes(),
        np.ones(383, dtype="<f4").tobytes(),
        "text",
        None,
    ],
)
def test_a_damaged_row_counts_as_absent(tmp_path: Path, row: bytes | str | None) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")
    cache.put_many(MODEL, unit_vectors("h", 2))
    with sqlite3.connect(tmp_path / "v.sqlite") as other:
        other.execute("UPDATE OR IGNORE vector SET row = ? WHERE content_hash = 'h0'", (row,))
        if row is None:
            other.execute("DELETE FROM vector WHERE content_hash = 'h0'")
    assert list(cache.get_many(MODEL, ["h0", "h1"])) == ["h1"]


def keep_200(path: Path, prefix: str) -> None:
    cache = VectorCache(path)
    for batch in range(10):
        cache.put_many(MODEL, unit_vectors(f"{prefix}{batch}-", 20))


@pytest.mark.scenario("embedding", "Two processes")
def test_two_processes_share_one_new_file(tmp_path: Path) -> None:
    file = tmp_path / "v.sqlite"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=keep_200, args=(file, name)) for name in ("a", "b")]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    hashes = [f"{name}{batch}-{i}" for name in "ab" for batch in range(10) for i in range(20)]
    assert len(VectorCache(file).get_many(MODEL, hashes)) == 400


@pytest.mark.scenario("embedding", "Full cache")
def test_a_full_cache_drops_what_was_stored_first(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite", max_bytes=200_000)
    for batch in range(20):
        cache.put_many(MODEL, unit_vectors(f"{batch}-", 50))
    assert len(cache.get_many(MODEL, [f"19-{i}" for i in range(50)])) == 50
    assert cache.get_many(MODEL, [f"0-{i}" for i in range(50)]) == {}
    cache.close()
    assert (tmp_path / "v.sqlite").stat().st_size < 500_000


def test_a_closed_cache_opens_again_when_it_is_used(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")
    cache.put_many(MODEL, unit_vectors("h", 1))
    cache.close()
    assert len(cache.get_many(MODEL, ["h0"])) == 1


def test_a_read_only_file_still_gives_what_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "v.sqlite"
    VectorCache(file).put_many(MODEL, unit_vectors("h", 1))
    file.chmod(stat.S_IREAD)
    assert len(VectorCache(file).get_many(MODEL, ["h0"])) == 1


def test_the_default_place_follows_the_users_cache_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_path() == tmp_path / "rag-evidence" / "vectors.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_path() == Path.home() / ".cache" / "rag-evidence" / "vectors.sqlite"
