"""An open index: the chunk rows as one reader sees them, whatever is being written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from rag.ranking.records import StoredChunk
from rag.stores.filter_match import glob_regex
from rag.stores.filters import SearchFilter
from rag.stores.milvus.connection import MilvusConnection
from rag.stores.milvus.filter_compiler import Expression, ExpressionBuilder
from rag.stores.milvus.ledger import Ledger
from rag.stores.milvus.ledger_state import LedgerState
from rag.stores.milvus.rows import CandidateChunk, row_id, stored_chunk
from rag.stores.milvus.schema import CHUNK_FIELDS, DOCUMENT_FIELDS, ROW_ID
from rag.stores.records import Manifest

BATCH_ROWS: Final = 1_000  # rows per answer while reading many; a server allows 16,384
READ_TRIES: Final = 4

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """One row per document and write at one state, in the order that documents are listed."""

    revision: str
    rows: tuple[Mapping[str, Any], ...]

    def batches(self) -> dict[str, list[str]]:
        """Return the writes that each document's rows came with."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            found.setdefault(row["doc_id"], []).append(row["batch"])
        return found

    def newest(self) -> list[Mapping[str, Any]]:
        """Return one row per document; of several writes the newest generation counts."""
        best: dict[str, Mapping[str, Any]] = {}
        for row in self.rows:
            other = best.get(row["doc_id"])
            if other is None or _age(row) > _age(other):
                best[row["doc_id"]] = row
        return list(best.values())


class MilvusIndex:
    """Reads the chunk collection of one index; safe to call from several threads."""

    def __init__(
        self,
        connection: MilvusConnection,
        collection: str,
        ledger: Ledger,
        manifest: Manifest,
        *,
        bm25_sign: float,
        timeout_s: float,
    ) -> None:
        self.connection: Final = connection
        self.collection: Final = collection
        self.ledger: Final = ledger
        self.manifest: Final = manifest
        self.bm25_sign: Final = bm25_sign
        self.timeout_s: Final = timeout_s
        self.heads_key: Final = f"heads of {collection}"
        self._heads_lock = threading.Lock()

    def builder(self) -> ExpressionBuilder:
        """Return a builder in the dialect of the engine that demands nothing yet."""
        return ExpressionBuilder(templates=not self.connection.engine.lite)

    def visible(self, state: LedgerState, filters: SearchFilter | None = None) -> ExpressionBuilder:
        """Return a builder that demands the filter, and that a row counts at the state."""
        builder = state.hide(self.builder())
        if filters is None or filters.is_empty:
            return builder
        glob = None if filters.path_glob is None else self._doc_ids_of_glob(filters.path_glob)
        return builder.filter(filters, glob)

    def between_writes(self, read: Callable[[], T]) -> T:
        """Return what ``read`` gives when no write was committed while it read.

        It reads again where one was; where writers leave no gap, those of this process are made
        to wait, and those of others get the last word: what was read then was true in parts.
        """
        found = self._read_undisturbed(read)
        if found is None:
            with self.connection.write_lock:
                found = self._read_undisturbed(read)
        return read() if found is None else found[0]

    def _read_undisturbed(self, read: Callable[[], T]) -> tuple[T] | None:
        for _ in range(READ_TRIES):
            before = self.ledger.state
            found = read()
            if self.ledger.refresh().shows_no_more_than(before):
                return (found,)
        return None

    def search(
        self,
        field: str,
        data: Sequence[Any],
        expression: Expression,
        *,
        limit: int,
        fields: Sequence[str],
        timeout_s: float | None = None,
    ) -> list[list[Mapping[str, Any]]]:
        """Return, per query, hits with ``distance`` as the engine has it and ``entity`` fields."""
        if expression.impossible:
            return [[] for _ in data]
        if timeout_s is None:
            timeout_s = self.connection.patience(self.timeout_s)
        self.connection.settle(self.collection)
        with self.connection.errors("search"):
            found = self.connection.client.search(
                self.collection,
                data=list(data),
                anns_field=field,
                limit=limit,
                output_fields=list(fields),
                timeout=timeout_s,
                consistency_level=self.ledger.state.consistency(),
                **expression.arguments(),
            )
        return [list(hits) for hits in found]

    def rows(self, expression: Expression, fields: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return all rows that pass, in no order."""
        if expression.impossible:
            return []
        client = self.connection.client
        with self.connection.errors("read"):
            if self.connection.engine.lite:
                return list(
                    client.query(
                        self.collection,
                        output_fields=list(fields),
                        timeout=self.connection.patience(self.timeout_s),
                        **expression.arguments(),
                    )
                )
            iterator = client.query_iterator(
                self.collection,
                batch_size=BATCH_ROWS,
                filter=expression.text,
                output_fields=list(fields),
                timeout=self.connection.patience(self.timeout_s),
                consistency_level=self.ledger.state.consistency(),
                expr_params=expression.params,  # the iterator's name for filter_params
            )
            found: list[Mapping[str, Any]] = []
            while page := iterator.next():
                found.extend(page)
            iterator.close()
            return found

    def read_chunks(self, candidates: Sequence[CandidateChunk]) -> dict[str, StoredChunk]:
        """Return the chunks of candidates by chunk id, in one query by key."""
        if not candidates:
            return {}
        builder = self.builder()
        # always a list: Milvus Lite looks keys up only where it sees one
        keys = builder.value([row_id(one.chunk_id, one.batch) for one in candidates])
        rows = self.rows(builder.add(f"{ROW_ID} in {keys}").build(), CHUNK_FIELDS)
        return {row["chunk_id"]: stored_chunk(row) for row in rows}

    def heads(self) -> Heads:
        """Return the head rows of all documents, from memory while the revision stays."""
        shared = self.connection.shared
        with self._heads_lock:
            for _ in range(READ_TRIES):
                state = self.ledger.refresh()
                known: Heads | None = shared.get(self.heads_key)
                if known is not None and known.revision == state.revision:
                    return known
                rows = self.rows(self.visible(state).add("head == true").build(), DOCUMENT_FIELDS)
                found = Heads(revision=state.revision, rows=tuple(sorted(rows, key=_listed)))
                if self.ledger.refresh() == state:
                    shared[self.heads_key] = found
                    return found
        return found  # other processes write without pause; each answer was true for a moment

    def adopt_heads(self, heads: Heads) -> None:
        """Take over the head rows that a write of this process left, instead of reading them."""
        self.connection.shared[self.heads_key] = Heads(
            revision=heads.revision, rows=tuple(sorted(heads.rows, key=_listed))
        )

    def batches_of(self, doc_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the writes that the visible rows of these documents came with."""
        if self.connection.engine.exclusive:
            known = self.heads().batches()
            return {doc_id: known[doc_id] for doc_id in doc_ids if doc_id in known}
        found: dict[str, list[str]] = {}
        for start in range(0, len(doc_ids), BATCH_ROWS):
            builder = self.visible(self.ledger.refresh()).add("head == true")
            builder.one_of("doc_id", doc_ids[start : start + BATCH_ROWS])
            for row in self.rows(builder.build(), ("doc_id", "batch")):
                found.setdefault(row["doc_id"], []).append(row["batch"])
        return found

    def _doc_ids_of_glob(self, glob: str) -> list[str]:
        pattern = glob_regex(glob)
        return [row["doc_id"] for row in self.heads().newest() if pattern.match(row["uri"])]

    def version(self) -> str:
        """Name what the index was built with."""
        made = self.manifest
        return f"{self.collection}/{made.schema_version} {made.analyzer} {made.created_at}"


def _age(row: Mapping[str, Any]) -> tuple[int, str, str]:
    return row["generation"], row["indexed_at"], row["batch"]


def _listed(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["source"], row["uri"], row["doc_id"]
