"""What the ledger says: the corpus revision, and the writes that are not finished."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Final, Literal

from rag.embedding.protocol import EmbedderIdentity
from rag.stores.milvus.filter_compiler import ExpressionBuilder
from rag.stores.records import Manifest

SETTLING_S: Final = 10.0  # twice a server's bounded staleness (5 s), in which it may lag behind
ABANDONED_AFTER_S: Final = 600.0  # far longer than one write takes; then its writer is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteEntry:
    """One unfinished write.

    ``writing``: its rows are not to be seen yet. ``retiring``: it is done but for deleting, of
    the documents ``doc_ids``, the rows that came with the writes ``replaced``, which are not to
    be seen any more.
    """

    batch: str
    phase: Literal["writing", "retiring"]
    started_at: str
    doc_ids: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()

    def is_abandoned(self, now: datetime) -> bool:
        """Whether its writer must be gone."""
        age = now - datetime.fromisoformat(self.started_at)
        return age.total_seconds() > ABANDONED_AFTER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerState:
    """The corpus revision and the unfinished writes; equal states show the same rows.

    ``seen_at`` is when this process first saw the state, by its monotonic clock.
    """

    revision: str
    writes: tuple[WriteEntry, ...] = ()
    seen_at: float = field(default=0.0, compare=False)

    def hide(self, builder: ExpressionBuilder) -> ExpressionBuilder:
        """Demand that a row counts."""
        for write in self.writes:
            if write.phase == "writing":
                builder.add(f"batch != {builder.value(write.batch)}")
            elif write.doc_ids and write.replaced:
                docs, batches = builder.value(write.doc_ids), builder.value(write.replaced)
                builder.add(f"not (doc_id in {docs} and batch in {batches})")
        return builder

    def shows_no_more_than(self, earlier: LedgerState) -> bool:
        """Whether what an earlier state showed is what this one shows.

        A write that began since may have put rows where the earlier state did not hide them; one
        that ended only deleted rows that were hidden already.
        """
        begun = {write.batch for write in self.writes} - {write.batch for write in earlier.writes}
        return self.revision == earlier.revision and not begun

    def consistency(self) -> str:
        """Return how fresh a server's answer must be to show this state."""
        settled = time.monotonic() - self.seen_at > SETTLING_S
        return "Bounded" if settled else "Strong"


def write_to_json(entry: WriteEntry) -> str:
    return json.dumps(asdict(entry))


def write_from_json(text: str) -> WriteEntry:
    found = json.loads(text)
    return WriteEntry(
        batch=found["batch"],
        phase=found["phase"],
        started_at=found["started_at"],
        doc_ids=tuple(found["doc_ids"]),
        replaced=tuple(found["replaced"]),
    )


def manifest_to_json(manifest: Manifest) -> str:
    return json.dumps(asdict(manifest), ensure_ascii=False)


def manifest_from_json(text: str) -> Manifest:
    found = json.loads(text)
    embedder = found["embedder"]
    return Manifest(
        schema_version=int(found["schema_version"]),
        analyzer=str(found["analyzer"]),
        embedder=None if embedder is None else EmbedderIdentity(**embedder),
        created_at=str(found["created_at"]),
    )
