"""The small second collection: what the index is, what state it is in, and who is writing.

Milvus has no transaction over rows. One row of this collection says which rows of the other one
do not count, and to replace that row is atomic: a write puts its new chunks where no reader
looks, then one replacement shows them and hides the old ones, then the old ones are deleted.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

from pymilvus import CollectionSchema, DataType, Function, FunctionType, MilvusClient

from rag.errors import StoreDamagedError, StoreError
from rag.ingest.records import Source, Trust
from rag.stores.milvus.connection import MilvusConnection
from rag.stores.milvus.filter_compiler import ExpressionBuilder
from rag.stores.milvus.ledger_state import (
    LedgerState,
    WriteEntry,
    manifest_from_json,
    manifest_to_json,
    write_from_json,
    write_to_json,
)
from rag.stores.milvus.overflow import slices_of_text
from rag.stores.milvus.schema import MAX_VARCHAR_BYTES, create_collection
from rag.stores.milvus.score_probe import PROBE_FIELDS, PROBE_ROWS
from rag.stores.records import Manifest

_KIND_MANIFEST: Final = "manifest"
_KIND_REVISION: Final = "revision"
_KIND_WRITE: Final = "write"
_KIND_SOURCE: Final = "source"


class Ledger:
    """Reads and writes the ledger of one index; safe to call from several threads.

    Over a connection that no other process can write through, the state is kept in memory and
    shared by all stores of the connection.
    """

    def __init__(self, connection: MilvusConnection, collection: str, timeout_s: float) -> None:
        self.collection = collection
        self._connection = connection
        self._client: MilvusClient = connection.client
        self.timeout_s = timeout_s
        self._shared_key = f"state of {collection}"

    # what the index is

    def create(self, manifest: Manifest) -> None:
        """Create the collection with the manifest, which is written last and so proves the rest."""
        client, engine = self._client, self._connection.engine
        indexes = client.prepare_index_params()
        if not engine.lite:
            for name, metric in (("probe_words_vector", "BM25"), ("probe_vector", "COSINE")):
                kind = "SPARSE_INVERTED_INDEX" if metric == "BM25" else "AUTOINDEX"
                indexes.add_index(name, index_type=kind, metric_type=metric)
        with self._connection.errors("create the index"):
            create_collection(
                client, engine, self.collection, _schema(lite=engine.lite), indexes, self.timeout_s
            )
        self._put([*PROBE_ROWS, _row(_KIND_REVISION, _KIND_REVISION, new_revision())])
        self._put([_row(_KIND_MANIFEST, _KIND_MANIFEST, manifest_to_json(manifest))])

    def manifest(self) -> Manifest | None:
        """Return what the index was built with; None where its making was cut short.

        Raises:
            StoreDamagedError: the manifest cannot be read.
        """
        rows = self._rows(f'key == "{_KIND_MANIFEST}"', "Strong")
        if not rows:
            return None
        try:
            return manifest_from_json(_value(rows[0]))
        except (KeyError, TypeError, ValueError) as error:
            raise StoreDamagedError(
                f"the manifest of the index at {self._connection.uri} cannot be read: {error}",
                given=self.collection,
                hint="it was not written by this program, or by a newer version of it",
            ) from error

    # what state it is in

    @property
    def state(self) -> LedgerState:
        """The state as last seen."""
        known: LedgerState | None = self._connection.shared.get(self._shared_key)
        return known if known is not None else self.refresh(force=True)

    def refresh(self, *, force: bool = False) -> LedgerState:
        """Return the state as it is now; only other processes can have changed it."""
        known: LedgerState | None = self._connection.shared.get(self._shared_key)
        if known is not None and self._connection.engine.exclusive and not force:
            return known
        rows = self._rows(
            f'kind in ["{_KIND_REVISION}", "{_KIND_WRITE}"]', "Strong" if force else "Session"
        )
        revisions = [_value(row) for row in rows if row["kind"] == _KIND_REVISION]
        writes = [write_from_json(_value(row)) for row in rows if row["kind"] == _KIND_WRITE]
        found = LedgerState(
            revision=revisions[0] if revisions else "",
            writes=tuple(sorted(writes, key=lambda write: write.batch)),
            seen_at=time.monotonic(),
        )
        return known if found == known and known is not None else self._remember(found)

    def begin(self, entry: WriteEntry) -> None:
        """Announce a write: its rows are hidden from now on."""
        self._put([_row(_KIND_WRITE, _write_key(entry), write_to_json(entry))])
        self._with_write(entry)

    def commit(self, entry: WriteEntry) -> None:
        """Show the rows of a write and hide those that it replaces, in one step."""
        revision = new_revision()
        self._put(
            [
                _row(_KIND_REVISION, _KIND_REVISION, revision),
                _row(_KIND_WRITE, _write_key(entry), write_to_json(entry)),
            ]
        )
        self._with_write(entry, revision)

    def end(self, entry: WriteEntry) -> None:
        """Strike out a write whose replaced rows are gone, or whose own rows are."""
        with self._connection.errors("finish a write"):
            builder = ExpressionBuilder(templates=False)
            builder.one_of("key", [_write_key(entry)])
            self._client.delete(
                self.collection, timeout=self.timeout_s, **builder.build().arguments()
            )
        state = self.state
        writes = tuple(write for write in state.writes if write.batch != entry.batch)
        self._remember(LedgerState(revision=state.revision, writes=writes))

    # which sources there are

    def sources(self) -> tuple[Source, ...]:
        """Return the registered sources, ordered by name."""
        found = [json.loads(_value(row)) for row in self._rows(f'kind == "{_KIND_SOURCE}"')]
        return tuple(
            Source(**{**one, "trust": Trust(one["trust"])})
            for one in sorted(found, key=lambda one: str(one["name"]))
        )

    def put_source(self, source: Source) -> None:
        """Register a source under its name."""
        value = json.dumps(asdict(source), ensure_ascii=False)
        self._put([_row(_KIND_SOURCE, f"source:{source.name}", value)])

    def _rows(self, condition: str, consistency: str = "Session") -> list[Mapping[str, Any]]:
        with self._connection.errors("read the index's state"):
            return list(
                self._client.query(
                    self.collection,
                    filter=condition,
                    output_fields=["key", "kind", "value", "value_overflow"],
                    limit=10_000,
                    timeout=self.timeout_s,
                    consistency_level=consistency,
                )
            )

    def _put(self, rows: Sequence[dict[str, Any]]) -> None:
        try:
            with self._connection.errors("write the index's state"):
                self._client.upsert(self.collection, list(rows), timeout=self.timeout_s)
        except StoreError:
            self.forget_state()  # whether it came through is not known, so it is read again
            raise

    def forget_state(self) -> None:
        """Have the state read again at its next use."""
        self._connection.shared.pop(self._shared_key, None)

    def _with_write(self, entry: WriteEntry, revision: str | None = None) -> None:
        state = self.state
        others = [write for write in state.writes if write.batch != entry.batch]
        writes = tuple(sorted([*others, entry], key=lambda write: write.batch))
        self._remember(LedgerState(revision=revision or state.revision, writes=writes))

    def _remember(self, state: LedgerState) -> LedgerState:
        seen = LedgerState(revision=state.revision, writes=state.writes, seen_at=time.monotonic())
        self._connection.shared[self._shared_key] = seen
        return seen


def new_revision() -> str:
    """Return a name for a corpus state that no other state has."""
    return uuid4().hex


def now_text() -> str:
    """Return this moment in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _schema(*, lite: bool) -> CollectionSchema:
    schema = MilvusClient.create_schema(enable_dynamic_field=False)
    schema.add_field("key", DataType.VARCHAR, is_primary=True, max_length=4_096)
    schema.add_field("kind", DataType.VARCHAR, max_length=64)
    schema.add_field("value", DataType.VARCHAR, max_length=MAX_VARCHAR_BYTES)
    schema.add_field(
        "value_overflow",
        DataType.ARRAY,
        element_type=DataType.VARCHAR,
        max_capacity=256,
        max_length=MAX_VARCHAR_BYTES,
    )
    schema.add_field(
        "probe_words",
        DataType.VARCHAR,
        max_length=256,
        enable_analyzer=True,
        analyzer_params={"tokenizer": "standard" if lite else "whitespace"},
    )
    schema.add_field("probe_words_vector", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_field("probe_vector", DataType.FLOAT_VECTOR, dim=2)
    schema.add_function(
        Function(
            name="probe_bm25",
            function_type=FunctionType.BM25,
            input_field_names=["probe_words"],
            output_field_names=["probe_words_vector"],
        )
    )
    return schema


def _row(kind: str, key: str, value: str) -> dict[str, Any]:
    first, *rest = slices_of_text(value, MAX_VARCHAR_BYTES)
    return {"key": key, "kind": kind, "value": first, "value_overflow": rest, **PROBE_FIELDS}


def _value(row: Mapping[str, Any]) -> str:
    return "".join((row["value"], *row["value_overflow"]))


def _write_key(entry: WriteEntry) -> str:
    return f"write:{entry.batch}"
