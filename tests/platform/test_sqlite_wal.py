"""Several processes put one new file into write-ahead logging at once."""

from __future__ import annotations

import multiprocessing
import sqlite3
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from rag.platform.sqlite_wal import enter_wal

PROCESSES = 3
ROUNDS = 15  # without waiting for one's turn, about one switch in six fails


def switch(files: list[Path], barrier: Barrier) -> None:
    for file in files:
        barrier.wait()
        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        enter_wal(connection, 30)
        connection.close()


def test_processes_that_open_one_new_file_at_once_all_get_their_turn(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(PROCESSES)
    files = [tmp_path / f"{number}.sqlite" for number in range(ROUNDS)]
    processes = [
        context.Process(target=switch, args=(files, barrier), daemon=True) for _ in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * PROCESSES


def test_a_file_that_stays_locked_is_said_to_be(tmp_path: Path) -> None:
    file = tmp_path / "locked.sqlite"
    with sqlite3.connect(file, isolation_level=None) as holder:
        holder.execute("CREATE TABLE held (x)")
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            enter_wal(sqlite3.connect(file, timeout=0, isolation_level=None), timeout_s=0.05)


def test_a_file_that_cannot_be_written_fails_at_once(tmp_path: Path) -> None:
    file = tmp_path / "kept.sqlite"
    sqlite3.connect(file).execute("CREATE TABLE kept (x)")
    reader = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        enter_wal(reader, timeout_s=60)
