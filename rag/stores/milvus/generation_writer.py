"""Writes and deletes documents so that a reader sees the old or the new text, never neither.

A write goes through five steps, each safe to be the last one before a crash:

1. the ledger announces the write; its rows are hidden from now on;
2. its rows are inserted, beside those of the older generations;
3. the ledger replaces the announcement: the new rows are seen, the old ones hidden;
4. the old rows are deleted;
5. the ledger strikes the write out.

What was cut short before step 3 never happened, what was cut short after it is only untidy.
The next write, or ``repair``, deletes what such a write left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

from rag.errors import StoreError
from rag.platform.logs import get_logger
from rag.stores.milvus.index import Heads, MilvusIndex
from rag.stores.milvus.ledger import now_text
from rag.stores.milvus.ledger_state import WriteEntry
from rag.stores.milvus.row_maker import RowMaker
from rag.stores.milvus.rows import Row
from rag.stores.milvus.schema import DENSE, DOCUMENT_FIELDS, TERMS, TEXT
from rag.stores.records import DocumentWrite

MAX_INSERT_ROWS = 1_000
MAX_INSERT_BYTES = 16_000_000  # a server takes 64 MB a message by default
BYTES_PER_NUMBER = 4
BYTES_BESIDE = 1_000  # ids, paths and numbers of a row, amply
DOCUMENTS_PER_DELETE = 1_000  # keeps an expression at a size that an engine parses quickly

_log = get_logger(__name__)


class GenerationWriter:
    """Writes to one index; writers of this process take turns."""

    def __init__(self, index: MilvusIndex, rows: RowMaker) -> None:
        self._index = index
        self._rows = rows

    def write(self, writes: Sequence[DocumentWrite]) -> None:
        """Store whole documents, replacing older generations; of one named twice the last counts.

        Raises:
            InvalidArgumentError, EmbeddingError: a document cannot be stored; nothing is seen of
                this call.
            StoreError: the engine failed; likewise.
        """
        latest = {write.document.doc_id: write for write in writes}
        if not latest:
            return
        index, ledger = self._index, self._index.ledger
        with index.connection.write_lock:
            self.clean_up()
            older = index.batches_of(list(latest))
            before = index.heads() if index.connection.engine.exclusive else None
            entry = WriteEntry(batch=uuid4().hex[:16], phase="writing", started_at=now_text())
            heads: list[Row] = []
            ledger.begin(entry)
            try:
                self._insert(latest.values(), entry.batch, heads)
            except BaseException:
                with suppress(StoreError):  # what stays is hidden, and the next write deletes it
                    self._forget(entry)
                raise
            done = _retiring(entry, older)
            ledger.commit(done)
            if before is not None:
                kept = [row for row in before.rows if row["doc_id"] not in latest]
                index.adopt_heads(Heads(revision=ledger.state.revision, rows=(*kept, *heads)))
            self._finish_or_leave(done)
            if not index.connection.engine.exclusive:
                index.connection.settle(index.collection)  # other processes do not know it is due

    def delete(self, doc_ids: Sequence[str]) -> int:
        """Remove documents; return how many there were."""
        index, ledger = self._index, self._index.ledger
        with index.connection.write_lock:
            self.clean_up()
            older = index.batches_of(list(dict.fromkeys(doc_ids)))
            if not older:
                return 0
            before = index.heads() if index.connection.engine.exclusive else None
            entry = WriteEntry(batch=uuid4().hex[:16], phase="retiring", started_at=now_text())
            done = _retiring(entry, older)
            ledger.commit(done)
            if before is not None:
                kept = tuple(row for row in before.rows if row["doc_id"] not in older)
                index.adopt_heads(Heads(revision=ledger.state.revision, rows=kept))
            self._finish_or_leave(done)
            return len(older)

    def drop(self, doc_id: str, batch: str) -> None:
        """Delete the rows of one document that came with one write."""
        builder = self._index.builder()
        builder.one_of("doc_id", [doc_id]).one_of("batch", [batch])
        self._delete(builder.build().arguments())
        self._index.connection.shared.pop(self._index.heads_key, None)

    def abandoned(self) -> tuple[WriteEntry, ...]:
        """Return the writes that nobody will finish.

        In a folder that only this process can write, that is every write that the ledger holds
        while nobody of this process writes; on a server, every one that is old.
        """
        state = self._index.ledger.refresh()
        if self._index.connection.engine.exclusive:
            return state.writes
        now = datetime.now(UTC)
        return tuple(entry for entry in state.writes if entry.is_abandoned(now))

    def clean_up(self) -> int:
        """Delete what abandoned writes left behind; return how many there were."""
        with self._index.connection.write_lock:
            left = self.abandoned()
            for entry in left:
                if entry.phase == "writing":
                    self._forget(entry)
                else:
                    self._finish(entry)
            return len(left)

    def _insert(self, writes: Iterable[DocumentWrite], batch: str, heads: list[Row]) -> None:
        connection, collection = self._index.connection, self._index.collection
        for rows in _in_messages(self._all_rows(writes, batch, heads)):
            with connection.errors("write"):
                connection.client.insert(
                    collection, rows, timeout=connection.patience(self._index.timeout_s)
                )
            connection.wrote(collection, len(rows))

    def _all_rows(
        self, writes: Iterable[DocumentWrite], batch: str, heads: list[Row]
    ) -> Iterator[Row]:
        for write in writes:
            for row in self._rows.rows(write, batch):
                if row["head"]:
                    heads.append({name: row[name] for name in DOCUMENT_FIELDS})
                yield row

    def _forget(self, entry: WriteEntry) -> None:
        """Delete the hidden rows of a write that did not come to its end."""
        builder = self._index.builder()
        self._delete(builder.add(f"batch == {builder.value(entry.batch)}").build().arguments())
        self._index.ledger.end(entry)

    def _finish_or_leave(self, entry: WriteEntry) -> None:
        """Delete what a write replaced; where that fails the write stands, and is only untidy."""
        try:
            self._finish(entry)
        except StoreError as error:
            _log.warning("replaced chunks stay hidden until the next write", reason=error.message)

    def _finish(self, entry: WriteEntry) -> None:
        """Delete what a write replaced."""
        for start in range(0, len(entry.doc_ids), DOCUMENTS_PER_DELETE):
            builder = self._index.builder()
            builder.one_of("doc_id", entry.doc_ids[start : start + DOCUMENTS_PER_DELETE])
            builder.one_of("batch", entry.replaced)
            self._delete(builder.build().arguments())
        self._index.ledger.end(entry)

    def _delete(self, condition: dict[str, object]) -> None:
        connection, collection = self._index.connection, self._index.collection
        with connection.errors("delete"):
            connection.client.delete(
                collection, timeout=connection.patience(self._index.timeout_s), **condition
            )


def _retiring(entry: WriteEntry, older: dict[str, list[str]]) -> WriteEntry:
    return replace(
        entry,
        phase="retiring",
        doc_ids=tuple(sorted(older)),
        replaced=tuple(sorted({batch for batches in older.values() for batch in batches})),
    )


def _in_messages(rows: Iterable[Row]) -> Iterator[list[Row]]:
    message: list[Row] = []
    size = 0
    for row in rows:
        length = BYTES_BESIDE + 4 * len(row[TEXT]) + 4 * len(row[TERMS])
        length += BYTES_PER_NUMBER * len(row.get(DENSE, ()))
        length += 4 * sum(map(len, row["text_overflow"]))
        if message and (len(message) == MAX_INSERT_ROWS or size + length > MAX_INSERT_BYTES):
            yield message
            message, size = [], 0
        message.append(row)
        size += length
    if message:
        yield message
