"""Whether the rows of an index agree with each other, and mending where they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rag.stores.milvus.generation_writer import GenerationWriter
from rag.stores.milvus.index import MilvusIndex
from rag.stores.records import HealthCheck

_REPAIR = "mend it with: rag doctor --repair"
_SHOWN = 3  # examples named in a line


class IntegrityCheck:
    """Looks at every row of an index; for a health report, not for every day."""

    def __init__(self, index: MilvusIndex, writer: GenerationWriter) -> None:
        self._index = index
        self._writer = writer

    def check(self) -> tuple[HealthCheck, ...]:
        """Return one line per thing that can be wrong."""
        with self._index.connection.write_lock:  # a write under way is no damage
            return self._check()

    def _check(self) -> tuple[HealthCheck, ...]:
        abandoned = len(self._writer.abandoned())
        heads = self._index.heads()
        doubled = sorted(doc for doc, batches in heads.batches().items() if len(batches) > 1)
        rows = self._rows()
        known = {(row["doc_id"], row["batch"]) for row in heads.rows}
        orphans = sorted(
            {row["doc_id"] for row in rows if (row["doc_id"], row["batch"]) not in known}
        )
        incomplete = self._incomplete(rows)
        return (
            _line("unfinished writes", abandoned, f"{abandoned} writes were cut short"),
            _line(
                "generations", len(doubled), f"{len(doubled)} documents have two: {_some(doubled)}"
            ),
            _line("orphan chunks", len(orphans), f"chunks without document: {_some(orphans)}"),
            HealthCheck(
                name="chunk counts",
                ok=not incomplete,
                detail=f"documents with chunks missing: {_some(incomplete)}"
                if incomplete
                else "every document has all its chunks",
                hint="ingest these again with --force" if incomplete else None,
            ),
        )

    def repair(self) -> tuple[str, ...]:
        """Mend what can be mended; return one sentence per thing done."""
        done = []
        with self._index.connection.write_lock:
            finished = self._writer.clean_up()
            if finished:
                done.append(f"Cleaned up after {finished} unfinished writes.")
            heads = self._index.heads()
            newest = {(row["doc_id"], row["batch"]) for row in heads.newest()}
            stale = {(row["doc_id"], row["batch"]) for row in self._rows()} - newest
            for doc_id, batch in sorted(stale):
                self._writer.drop(doc_id, batch)
            if stale:
                documents = len({doc_id for doc_id, _ in stale})
                done.append(f"Removed left-over chunks of {documents} documents.")
        return tuple(done)

    def _rows(self) -> list[Mapping[str, Any]]:
        state = self._index.ledger.refresh()
        return self._index.rows(
            self._index.visible(state).build(), ("doc_id", "batch", "chunk_id", "part")
        )

    def _incomplete(self, rows: list[Mapping[str, Any]]) -> list[str]:
        there = Counter((row["doc_id"], row["batch"]) for row in rows if row["part"] == 0)
        return sorted(
            row["uri"]
            for row in self._index.heads().newest()
            if there[row["doc_id"], row["batch"]] != row["chunk_count"]
        )


def _line(name: str, count: int, trouble: str) -> HealthCheck:
    return HealthCheck(
        name=name,
        ok=count == 0,
        detail=trouble if count else "none left over",
        hint=_REPAIR if count else None,
    )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
