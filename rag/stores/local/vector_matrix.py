"""The vectors in memory, in blocks, following the store as it grows."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag.stores.local.row_table import RowTable

BLOCK_ROWS = 16_384  # 25 MB at 384 dimensions: what a small write copies at most
_FETCH_ROWS = 4_096
STORED = np.dtype("<f4")  # how a vector stands in its blob


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorBlock:
    """Vectors of ``m`` chunks, ascending: ``rows`` (m,), ``positions`` (m,), ``vectors`` (m, d)."""

    rows: NDArray[np.int64]
    positions: NDArray[np.int64]
    vectors: NDArray[np.float32]

    def within(self, table: RowTable) -> VectorBlock | None:
        """Return the part whose chunks ``table`` knows, at its positions; None if that is empty."""
        if not len(table):
            return None
        positions = np.searchsorted(table.rows, self.rows)
        positions[positions == len(table)] = 0
        known = table.rows[positions] == self.rows
        if known.all():
            return VectorBlock(rows=self.rows, positions=positions, vectors=self.vectors)
        if not known.any():
            return None
        return VectorBlock(
            rows=self.rows[known], positions=positions[known], vectors=self.vectors[known]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorMatrix:
    """Every stored vector with ``after_row`` < row ≤ ``up_to_row``, in blocks ascending by row."""

    store_id: str
    epoch: object
    after_row: int
    up_to_row: int
    blocks: tuple[VectorBlock, ...]

    def __len__(self) -> int:
        return sum(len(block.rows) for block in self.blocks)


class VectorMatrixCache:
    """Holds the newest matrix; new rows are appended to it, dead ones go at the next epoch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: VectorMatrix | None = None

    def matrix(
        self, connection: sqlite3.Connection, table: RowTable, *, after_row: int
    ) -> VectorMatrix:
        """Return the vectors after ``after_row`` as the transaction of ``table`` sees them."""
        with self._lock:
            held = self._held
            if held is not None and (held.store_id, held.after_row) != (table.store_id, after_row):
                held = None
            if held is not None and held.up_to_row > table.last_row:
                # another thread has seen a later state than this transaction
                if held.epoch is table.epoch:
                    return replace(held, up_to_row=table.last_row, blocks=_within(held, table))
                return _extended(connection, table, after_row, (), after_row)
            if held is None:
                self._held = _extended(connection, table, after_row, (), after_row)
            elif held.epoch is not table.epoch:
                kept = _within(held, table)
                self._held = _extended(connection, table, after_row, kept, held.up_to_row)
            elif held.up_to_row < table.last_row:
                self._held = _extended(connection, table, after_row, held.blocks, held.up_to_row)
            assert self._held is not None  # one of the branches above made it, or it stood
            return self._held


def stored_vector(vector: NDArray[np.float32]) -> bytes:
    """Return a vector as its blob."""
    return np.ascontiguousarray(vector, dtype=STORED).tobytes()


def parse_vectors(blobs: list[bytes]) -> NDArray[np.float32]:
    """Return the vectors of equally long blobs, shape ``(n, d)``."""
    flat = np.frombuffer(b"".join(blobs), dtype=STORED)
    return flat.reshape(len(blobs), -1).astype(np.float32, copy=False)


def _within(matrix: VectorMatrix, table: RowTable) -> tuple[VectorBlock, ...]:
    moved = (block.within(table) for block in matrix.blocks)
    return tuple(block for block in moved if block is not None)


def _extended(
    connection: sqlite3.Connection,
    table: RowTable,
    after_row: int,
    blocks: tuple[VectorBlock, ...],
    from_row: int,
) -> VectorMatrix:
    """Return the matrix of ``blocks`` and of what was stored after ``from_row``."""
    for fresh in _read_blocks(connection, table, from_row):
        blocks = _appended(blocks, fresh)
    return VectorMatrix(
        store_id=table.store_id,
        epoch=table.epoch,
        after_row=after_row,
        up_to_row=table.last_row,
        blocks=blocks,
    )


def _read_blocks(
    connection: sqlite3.Connection, table: RowTable, after_row: int
) -> Iterator[VectorBlock]:
    cursor = connection.execute(
        "SELECT row, vector FROM vectors WHERE row > ? AND row <= ? ORDER BY row",
        (after_row, table.last_row),
    )
    while fetched := cursor.fetchmany(_FETCH_ROWS):
        rows = np.array([row for row, _ in fetched], dtype=np.int64)
        block = VectorBlock(
            rows=rows,
            positions=np.empty(0, dtype=np.int64),
            vectors=parse_vectors([blob for _, blob in fetched]),
        ).within(table)
        if block is not None:
            yield block


def _appended(blocks: tuple[VectorBlock, ...], fresh: VectorBlock) -> tuple[VectorBlock, ...]:
    """Return the blocks with a further one, which a last block that is not full takes in."""
    if not blocks or len(blocks[-1].rows) + len(fresh.rows) > BLOCK_ROWS:
        return (*blocks, fresh)
    last = blocks[-1]
    return (
        *blocks[:-1],
        VectorBlock(
            rows=np.concatenate([last.rows, fresh.rows]),
            positions=np.concatenate([last.positions, fresh.positions]),
            vectors=np.concatenate([last.vectors, fresh.vectors]),
        ),
    )
