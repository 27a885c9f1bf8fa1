"""The few facts that every transaction of a store begins with, read in one query."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from rag.embedding.protocol import EmbedderIdentity
from rag.errors import IndexIdentityMismatchError
from rag.stores.local.schema import SCHEMA_VERSION
from rag.stores.records import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a store says of itself at one revision."""

    store_id: str
    revision: int
    dead_rows_since: int
    next_row: int
    documents: int
    chunks: int
    vectors: int
    created_at: str
    analyzer: str
    embedder: EmbedderIdentity | None

    @property
    def name(self) -> str:
        """The corpus state's name; a store made anew never repeats one."""
        return f"{self.store_id[:8]}-{self.revision}"

    def manifest(self) -> Manifest:
        """Return what the index was built with."""
        return Manifest(
            schema_version=SCHEMA_VERSION,
            analyzer=self.analyzer,
            embedder=self.embedder,
            created_at=self.created_at,
        )


def read_state(connection: sqlite3.Connection) -> State:
    """Return the state that the connection's transaction sees."""
    values = dict(connection.execute("SELECT key, value FROM state").fetchall())
    embedder = values.pop("embedder")
    return State(**values, embedder=_identity(embedder))


def write_state(connection: sqlite3.Connection, **values: str | int | None) -> None:
    """Set some of the state's values inside the open transaction."""
    connection.executemany(
        "UPDATE state SET value = ? WHERE key = ?", [(v, k) for k, v in values.items()]
    )


def identity_text(embedder: EmbedderIdentity | None) -> str | None:
    """Return an identity as the state keeps it."""
    if embedder is None:
        return None
    return json.dumps([embedder.name, embedder.revision, embedder.dimensions])


def check_identity(
    state: State, *, analyzer: str, embedder: EmbedderIdentity | None, writing: bool
) -> None:
    """Refuse an index that another analyser or embedder built.

    Without an embedder an index with vectors may be read, by its words, but not written.

    Raises:
        IndexIdentityMismatchError: naming what built it and what is in use.
    """
    if state.analyzer != analyzer:
        raise _mismatch("analyser", state.analyzer, analyzer)
    if embedder == state.embedder or (embedder is None and not writing):
        return
    raise _mismatch("embedder", str(state.embedder or "none"), str(embedder or "none"))


def _mismatch(what: str, built: str, used: str) -> IndexIdentityMismatchError:
    return IndexIdentityMismatchError(
        f"the index was built with {what} {built}; in use is {used}",
        given=used,
        allowed=built,
        hint="go back to what the index was built with, or ingest again into another store.uri",
        details={"what": what, "built_with": built, "in_use": used},
    )


def _identity(text: str | None) -> EmbedderIdentity | None:
    if text is None:
        return None
    name, revision, dimensions = json.loads(text)
    return EmbedderIdentity(name=name, revision=revision, dimensions=dimensions)
