"""What every search needs of every chunk, as arrays that follow the store's revision."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.stores.local.number_columns import read_columns
from rag.stores.local.state import State

# Masks (a byte a chunk) and length norms (eight) kept per revision, for filters in use.
DERIVED_BYTES = 64_000_000
MOST_DERIVED, LEAST_DERIVED = 64, 4
TOLERATED_DEAD = 4_096  # positions; beyond, at most half of them may be dead
_COLUMNS = ("row", "doc", "words", "heading_words", "id_key")

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowTable:
    """The chunks of one revision by *position*: 0 to n - 1, ascending by row number.

    Arrays, each of shape ``(n,)``: ``rows`` int64 ascending; ``docs`` int32 document numbers;
    ``words`` and ``heading_words`` int32 lengths; ``id_keys`` int64, ordered as chunk ids are;
    ``live`` bool, False where the chunk is gone.
    Tables of one ``epoch`` agree on positions: a later one only appends and lets die, so what
    is cached by position under an epoch stays true.
    """

    store_id: str
    revision: int
    epoch: object
    rows: NDArray[np.int64]
    docs: NDArray[np.int32]
    words: NDArray[np.int32]
    heading_words: NDArray[np.int32]
    id_keys: NDArray[np.int64]
    live: NDArray[np.bool_]
    live_count: int
    _derived: dict[Hashable, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def last_row(self) -> int:
        """The largest row number, 0 in an empty store."""
        return int(self.rows[-1]) if len(self.rows) else 0

    @property
    def all_live(self) -> bool:
        """Whether no position is dead."""
        return self.live_count == len(self.rows)

    def positions(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions of those row numbers that are in the table."""
        if not len(self.rows):
            return np.empty(0, dtype=np.int64)
        found = np.searchsorted(self.rows, rows)
        found[found == len(self.rows)] = 0
        known: NDArray[np.int64] = found[self.rows[found] == rows]
        return known

    def derive(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what ``make`` gives for this revision, made once per ``key``.

        Two threads may both make it; they make the same.
        """
        try:
            made: Made = self._derived[key]
        except KeyError:
            room = DERIVED_BYTES // (8 * len(self) + 1)
            if len(self._derived) >= min(MOST_DERIVED, max(LEAST_DERIVED, room)):
                self._derived.clear()
            made = self._derived[key] = make()
        return made


class RowTableCache:
    """Holds the newest table; a small write costs a small refresh."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._table: RowTable | None = None

    def table(self, connection: sqlite3.Connection, state: State) -> RowTable:
        """Return the table of ``state``, which the connection's transaction sees."""
        store_id, revision = state.store_id, state.revision
        held = self._table
        if held is not None and (held.store_id, held.revision) == (store_id, revision):
            return held
        with self._lock:
            held = self._table
            if held is not None and held.store_id == store_id:
                if held.revision == revision:
                    return held
                if held.revision > revision:  # another thread has seen a later state already
                    return _load(connection, store_id, revision)
                if held.revision >= state.dead_rows_since:
                    self._table = _follow(connection, held, revision)
                    return self._table
            self._table = _load(connection, store_id, revision)
            return self._table


def _load(connection: sqlite3.Connection, store_id: str, revision: int) -> RowTable:
    columns = read_columns(connection, _COLUMNS, "chunks INDEXED BY chunk_facts")
    order = np.argsort(columns[0], kind="stable")
    rows, docs, words, heading_words, id_keys = (column[order] for column in columns)
    return RowTable(
        store_id=store_id,
        revision=revision,
        epoch=object(),
        rows=rows,
        docs=docs.astype(np.int32),
        words=words.astype(np.int32),
        heading_words=heading_words.astype(np.int32),
        id_keys=id_keys,
        live=np.ones(len(rows), dtype=np.bool_),
        live_count=len(rows),
    )


def _follow(connection: sqlite3.Connection, held: RowTable, revision: int) -> RowTable:
    """Return ``held`` with the rows that came and without those that went."""
    (dead,) = read_columns(connection, ("row",), "dead_rows WHERE revision > ?", (held.revision,))
    rows, docs, words, heading_words, id_keys = read_columns(
        connection,
        _COLUMNS,
        f"(SELECT {', '.join(_COLUMNS)} FROM chunks WHERE row > ? ORDER BY row)",
        (held.last_row,),
    )
    live = np.concatenate([held.live, np.ones(len(rows), dtype=np.bool_)])
    live[held.positions(dead)] = False
    live_count = int(np.count_nonzero(live))
    if len(live) - live_count > max(TOLERATED_DEAD, live_count):
        return _load(connection, held.store_id, revision)
    return RowTable(
        store_id=held.store_id,
        revision=revision,
        epoch=held.epoch,
        rows=np.concatenate([held.rows, rows]),
        docs=np.concatenate([held.docs, docs.astype(np.int32)]),
        words=np.concatenate([held.words, words.astype(np.int32)]),
        heading_words=np.concatenate([held.heading_words, heading_words.astype(np.int32)]),
        id_keys=np.concatenate([held.id_keys, id_keys]),
        live=live,
        live_count=live_count,
    )
