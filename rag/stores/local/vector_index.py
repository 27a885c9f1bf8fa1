"""The derived vector index of a large base: when it is due, how it is built, how it is used."""

from __future__ import annotations

import importlib
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.errors import MissingExtraError, StoreDamagedError
from rag.platform.logs import get_logger
from rag.stores.local.engine import LocalEngine, View
from rag.stores.local.vector_matrix import parse_vectors
from rag.stores.local.write_lock import write_lock
from rag.stores.protocol import IndexProgress

EXACT_LIMIT = 50_000  # vectors: 77 MB at 384 dimensions, about 5 ms to compare with
INDEX_FOLDER = "lance"
BUILD_LOCK_FILE = "index.lock"
COPY_ROWS = 8_192  # vectors read at a time: 13 MB at 384 dimensions
STALE_SHARE = 0.2  # of the indexed rows: as many new or gone ones make the index due again

# Choosing the probes: queries like real ones, which lie between the stored vectors.
SAMPLE_QUERIES = 48
SAMPLE_COSINE = 0.6  # of a sample query with the stored vector it was made from
SAMPLE_DEPTH = 10
# A margin above the 0.97 that is promised: real questions lie farther out than the sample. At
# 1,000,000 chunks probes with 0.994 on the sample found 0.965 of what questions are nearest to.
WANTED_RECALL = 0.995
PROBE_SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)  # of the partitions; then all of them
OVERSAMPLING = 3  # candidates per wanted hit, compared exactly afterwards

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """A finished index: it covers the vectors of all rows up to ``up_to_row``."""

    name: str
    up_to_row: int
    rows: int
    probes: int


class VectorIndex:
    """Keeps the index of one store; LanceDB is imported when an index is built or searched.

    Args:
        engine: The store.
        exact_limit: Up to this many vectors there is no index.
    """

    def __init__(self, engine: LocalEngine, exact_limit: int) -> None:
        self._engine = engine
        self._exact_limit = exact_limit
        self._folder = engine.database.folder / INDEX_FOLDER
        self._lock = threading.Lock()
        self._opened: tuple[str, Any] | None = None
        self._unusable: set[str] = set()

    def current(self, view: View) -> Build | None:
        """Return the build that serves this state; None where exact search does."""
        if view.state.vectors <= self._exact_limit:
            return None
        found = view.connection.execute(
            "SELECT build, up_to_row, rows, probes FROM vector_index"
        ).fetchone()
        if found is None:
            return None
        build = Build(name=found[0], up_to_row=found[1], rows=found[2], probes=found[3])
        return None if build.name in self._unusable else build

    def nearest(
        self, build: Build, query: NDArray[np.float32], limit: int
    ) -> NDArray[np.int64] | None:
        """Return about the ``limit`` nearest rows, or None where the build cannot be read.

        A build that cannot be read is logged once and not tried again; the answer is then
        searched exactly, which is slower and never wrong.
        """
        try:
            table = self._open(build.name)
            rows: NDArray[np.int64] = table.nearest(query, limit=limit, probes=build.probes)
        except Exception as error:  # noqa: BLE001  # LanceDB raises bare RuntimeError and others
            self._unusable.add(build.name)
            _log.warning(
                "the vector index cannot be read; searching exactly until it is rebuilt",
                folder=str(self._folder),
                error=str(error)[:200],
                hint="run: rag doctor --repair",
            )
            return None
        return rows

    def trouble(self, view: View) -> str | None:
        """Say what is wrong with the index of this state; None where it is as it should be."""
        if view.state.vectors <= self._exact_limit:
            return None
        found = view.connection.execute(
            "SELECT build, up_to_row, rows, probes FROM vector_index"
        ).fetchone()
        if found is None:
            return f"{view.state.vectors} vectors and no index"
        build = Build(name=found[0], up_to_row=found[1], rows=found[2], probes=found[3])
        (alive,) = view.connection.execute(
            "SELECT count(*) FROM vectors WHERE row <= ?", (build.up_to_row,)
        ).fetchone()
        pending = view.state.vectors - alive
        if max(pending, build.rows - alive) > STALE_SHARE * build.rows:
            return f"{pending} vectors not indexed, {build.rows - alive} indexed ones gone"
        try:
            rows = len(self._open(build.name))
        except MissingExtraError:
            raise
        except Exception as error:  # noqa: BLE001  # LanceDB raises bare RuntimeError and others
            return f"the index cannot be read: {str(error)[:200]}"
        if rows != build.rows:
            return f"the index has {rows} rows instead of {build.rows}"
        return None

    def build(self, progress: IndexProgress | None = None, *, force: bool = False) -> bool:
        """Build the index anew where it is due; return whether it was.

        Readers and writers go on meanwhile. A build that is cut short leaves the old one in use
        and is removed by the next.

        Raises:
            ReadonlyError: the store was opened for reading only.
            MissingExtraError: an index is due and LanceDB is not installed.
            StoreLockedError: another process is building.
            StoreDamagedError: LanceDB failed.
        """
        self._engine.database.require_writable()
        report = progress or _silent
        lock = self._engine.database.lock_path(BUILD_LOCK_FILE)
        with write_lock(lock, timeout_s=0.0, doing="building the vector index of"):
            with self._engine.view() as view:
                due = self.trouble(view) is not None
                if not due and not (force and view.state.vectors > self._exact_limit):
                    self._remove_all_but(self._recorded(view))
                    return False
                total, up_to_row = view.state.vectors, view.table.last_row
                dimensions = view.state.embedder.dimensions if view.state.embedder else 0
            lance = _lance()
            name = f"vectors_{up_to_row}_{uuid.uuid4().hex[:8]}"
            try:
                self._folder.mkdir(exist_ok=True)
                table = lance.LanceTable.create(
                    self._folder,
                    name,
                    self._batches(up_to_row, total, report),
                    dimensions=dimensions,
                )
                report("train", 0, 1)
                partitions = table.train()
                report("train", 1, 1)
                probes = self._choose_probes(table, partitions, up_to_row, report)
                rows = len(table)
            except Exception as error:
                lance.remove(self._folder, name)
                raise StoreDamagedError(
                    f"the vector index of {self._engine.database.folder} could not be built:"
                    f" {str(error)[:200]}",
                    given=str(self._folder),
                    hint="searches stay exact; free some disk space and run: rag doctor --repair",
                ) from error
            with self._engine.write() as (connection, _):
                connection.execute("DELETE FROM vector_index")
                connection.execute(
                    "INSERT INTO vector_index (build, up_to_row, rows, probes) VALUES (?, ?, ?, ?)",
                    (name, up_to_row, rows, probes),
                )
            self._remove_all_but(name)
            return True

    def _recorded(self, view: View) -> str | None:
        found = view.connection.execute("SELECT build FROM vector_index").fetchone()
        return found[0] if found else None

    def _remove_all_but(self, kept: str | None) -> None:
        if not self._folder.is_dir():
            return
        for path in self._folder.glob("*.lance"):
            if path.stem != kept:
                _lance().remove(self._folder, path.stem)

    def _open(self, name: str) -> Any:
        with self._lock:
            if self._opened is None or self._opened[0] != name:
                self._opened = (name, _lance().LanceTable(self._folder, name))
            return self._opened[1]

    def _batches(
        self, up_to_row: int, total: int, report: IndexProgress
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """Yield the vectors in short reads, so that no long one keeps the log from shrinking."""
        last = done = 0
        report("copy", 0, total)
        while True:
            with self._engine.view() as view:
                fetched = view.connection.execute(
                    "SELECT row, vector FROM vectors WHERE row > ? AND row <= ?"
                    " ORDER BY row LIMIT ?",
                    (last, up_to_row, COPY_ROWS),
                ).fetchall()
            if not fetched:
                return
            last = fetched[-1][0]
            done += len(fetched)
            yield (
                np.array([row for row, _ in fetched], dtype=np.int64),
                parse_vectors([blob for _, blob in fetched]),
            )
            report("copy", done, max(total, done))

    def _choose_probes(
        self, table: Any, partitions: int, up_to_row: int, report: IndexProgress
    ) -> int:
        """Return the fewest probes that find what exact search finds, measured on this base."""
        report("measure", 0, 1)
        queries, nearest = self._sample(up_to_row)
        chosen = partitions
        for share in PROBE_SHARES:
            probes = max(1, round(share * partitions))
            found = [
                len(
                    set(table.nearest(query, limit=len(wanted) * OVERSAMPLING, probes=probes))
                    & set(wanted)
                )
                / len(wanted)
                for query, wanted in zip(queries, nearest, strict=True)
            ]
            if found and sum(found) / len(found) >= WANTED_RECALL:
                chosen = probes
                break
        report("measure", 1, 1)
        return chosen

    def _sample(self, up_to_row: int) -> tuple[NDArray[np.float32], list[list[int]]]:
        """Return sample queries and the rows that are nearest to each, by exact search."""
        chance = np.random.default_rng(up_to_row)  # the same base gives the same index
        queries: NDArray[np.float32] | None = None
        best_rows = np.empty((SAMPLE_QUERIES, 0), dtype=np.int64)
        best = np.empty((SAMPLE_QUERIES, 0), dtype=np.float32)
        for rows, vectors in self._batches(up_to_row, 0, _silent):
            if queries is None:
                queries = _between(vectors, chance)
            scores = np.concatenate([best, queries @ vectors.T], axis=1)
            candidates = np.concatenate(
                [best_rows, np.broadcast_to(rows, (SAMPLE_QUERIES, len(rows)))], axis=1
            )
            depth = min(SAMPLE_DEPTH, scores.shape[1])
            kept = np.argpartition(-scores, depth - 1, axis=1)[:, :depth]
            best = np.take_along_axis(scores, kept, axis=1)
            best_rows = np.take_along_axis(candidates, kept, axis=1)
        assert queries is not None  # an index is built of many vectors
        return queries, best_rows.tolist()


def _between(vectors: NDArray[np.float32], chance: np.random.Generator) -> NDArray[np.float32]:
    """Return unit vectors with a given cosine to stored ones and otherwise between others."""
    picked = vectors[chance.integers(len(vectors), size=SAMPLE_QUERIES)]
    others = vectors[chance.integers(len(vectors), size=SAMPLE_QUERIES)]
    noise = others - (others * picked).sum(axis=1, keepdims=True) * picked
    noise += 1e-6 * chance.standard_normal(noise.shape).astype(np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    mixed = SAMPLE_COSINE * picked + np.sqrt(1 - SAMPLE_COSINE**2) * noise
    queries: NDArray[np.float32] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    return queries.astype(np.float32)


def _lance() -> Any:
    """Return the module that imports LanceDB; importing it takes over a second."""
    try:
        return importlib.import_module("rag.stores.local.lance_table")
    except ImportError as error:
        raise MissingExtraError(
            "a base of this size needs LanceDB for its vector index",
            given=str(error),
            allowed="the extra lancedb",
            hint="pip install 'rag-evidence[lancedb]'",
        ) from error


def _silent(step: str, done: int, total: int) -> None:
    """Hear nothing."""
