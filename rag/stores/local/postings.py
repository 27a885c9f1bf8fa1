"""Where each word stands: FTS5 keeps it on disk, arrays keep the words in use in memory."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.stores.local.filter_sql import encodable
from rag.stores.local.number_columns import read_columns
from rag.stores.local.row_table import RowTable
from rag.text import encode_term

CACHE_BYTES = 96_000_000  # decoded words of about two corpora of 100,000 chunks of 100 words
FOLLOWED_ROWS = 2_000  # newer rows that are looked up one by one instead of decoding a word anew
_BYTES_PER_ENTRY = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Postings:
    """The chunks that hold one word, ascending.

    ``positions`` int32 of shape ``(m,)`` into the row table, dead ones not left out;
    ``body`` and ``heading`` uint16, how often the word stands in each. ``up_to_row`` is the
    last row that was looked at.
    """

    positions: NDArray[np.int32]
    body: NDArray[np.uint16]
    heading: NDArray[np.uint16]
    up_to_row: int

    def until(self, table: RowTable) -> Postings:
        """Return the part that lies in ``table``, which may be older than these postings."""
        if self.up_to_row <= table.last_row:
            return self
        end = int(np.searchsorted(self.positions, len(table)))
        return Postings(
            positions=self.positions[:end],
            body=self.body[:end],
            heading=self.heading[:end],
            up_to_row=table.last_row,
        )


class PostingsCache:
    """Postings by word, the least recently used dropped beyond a size in bytes.

    They are kept by position, so all of them go when the row table begins a new epoch.
    """

    def __init__(self, max_bytes: int = CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._epoch: object = None
        self._held: OrderedDict[str, Postings] = OrderedDict()
        self._bytes = 0

    def postings(
        self, connection: sqlite3.Connection, table: RowTable, terms: Sequence[str]
    ) -> list[Postings]:
        """Return the postings of analysed ``terms`` as the transaction of ``table`` sees them."""
        return [self._one(connection, table, encode_term(encodable(term))) for term in terms]

    def _one(self, connection: sqlite3.Connection, table: RowTable, word: str) -> Postings:
        with self._lock:
            held = self._held.get(word) if self._epoch is table.epoch else None
            if held is not None:
                self._held.move_to_end(word)
        if held is not None and held.up_to_row >= table.last_row:
            return held.until(table)
        if held is not None and table.last_row - held.up_to_row <= FOLLOWED_ROWS:
            found = _followed(connection, table, word, held)
        else:
            found = _decoded(connection, table, word)
        self._keep(table, word, found)
        return found

    def _keep(self, table: RowTable, word: str, found: Postings) -> None:
        with self._lock:
            if self._epoch is not table.epoch:
                self._epoch = table.epoch
                self._held.clear()
                self._bytes = 0
            before = self._held.pop(word, None)
            if before is not None:
                if before.up_to_row > found.up_to_row:  # another thread has looked further
                    found = before
                self._bytes -= _size(before)
            self._held[word] = found
            self._bytes += _size(found)
            while self._bytes > self._max_bytes and len(self._held) > 1:
                _, dropped = self._held.popitem(last=False)
                self._bytes -= _size(dropped)


def _size(postings: Postings) -> int:
    return len(postings.positions) * _BYTES_PER_ENTRY + 200  # and what Python adds


def _decoded(connection: sqlite3.Connection, table: RowTable, word: str) -> Postings:
    """Read a word's whole list; FTS5 gives its instances ascending by row."""
    (instances,) = read_columns(
        connection, ("doc + doc + (col = 'heading')",), "postings WHERE term = ?", (word,)
    )
    rows = instances >> 1
    in_heading = (instances & 1).astype(np.int64)
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    total = np.diff(first, append=len(rows))
    heading = np.add.reduceat(in_heading, first) if len(first) else total
    return _made(table, rows[first], total - heading, heading)


def _followed(
    connection: sqlite3.Connection, table: RowTable, word: str, held: Postings
) -> Postings:
    """Return ``held`` with what newer rows add."""
    found = connection.execute(
        "SELECT rowid, heading, body FROM words WHERE words MATCH ? AND rowid > ? ORDER BY rowid",
        (f'"{word}"', held.up_to_row),
    ).fetchall()
    new = _made(
        table,
        np.array([row for row, _, _ in found], dtype=np.int64),
        np.array([body.split().count(word) for _, _, body in found], dtype=np.int64),
        np.array([heading.split().count(word) for _, heading, _ in found], dtype=np.int64),
    )
    if not found:
        joined = held.positions, held.body, held.heading
    else:
        joined = (
            np.concatenate([held.positions, new.positions]),
            np.concatenate([held.body, new.body]),
            np.concatenate([held.heading, new.heading]),
        )
    positions, body, heading = joined
    return Postings(positions=positions, body=body, heading=heading, up_to_row=table.last_row)


def _made(
    table: RowTable,
    rows: NDArray[np.int64],
    body: NDArray[np.int64],
    heading: NDArray[np.int64],
) -> Postings:
    most = np.iinfo(np.uint16).max
    positions = np.searchsorted(table.rows, rows)
    known = positions < len(table)
    if not known.all() or not np.array_equal(table.rows[positions], rows):
        # an index entry without its chunk: repair() removes it, a search must not meet it
        positions[~known] = 0
        known &= table.rows[positions] == rows if len(table) else False
        positions, body, heading = positions[known], body[known], heading[known]
    return Postings(
        positions=positions.astype(np.int32),
        body=np.minimum(body, most).astype(np.uint16),
        heading=np.minimum(heading, most).astype(np.uint16),
        up_to_row=table.last_row,
    )
