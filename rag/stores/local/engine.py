"""One store's file with everything that is kept in memory of it, shared by its channels."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rag.embedding.protocol import EmbedderIdentity
from rag.stores.local.catalog import Catalog
from rag.stores.local.database import Database
from rag.stores.local.postings import PostingsCache
from rag.stores.local.row_table import RowTable, RowTableCache
from rag.stores.local.schema import SCHEMA_VERSION
from rag.stores.local.state import State, check_identity, identity_text, read_state
from rag.stores.local.vector_matrix import VectorMatrixCache


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """One state of the store, held still by a read transaction."""

    connection: sqlite3.Connection
    state: State
    tables: RowTableCache

    @property
    def table(self) -> RowTable:
        """The chunks of this state by position."""
        return self.tables.table(self.connection, self.state)


class LocalEngine:
    """Opens views and writes, and checks at each who built the index."""

    def __init__(
        self,
        folder: Path,
        *,
        analyzer: str,
        embedder: EmbedderIdentity | None,
        readonly: bool,
        lock_timeout_s: float,
    ) -> None:
        self.analyzer = analyzer
        self.embedder = embedder
        self.database = Database(folder, readonly=readonly, lock_timeout_s=lock_timeout_s)
        self.catalog = Catalog()
        self.postings = PostingsCache()
        self.matrices = VectorMatrixCache()
        self._tables = RowTableCache()

    def open(self, *, create: bool) -> None:
        """Look at the store once; migrate an older one, lay a new one where ``create`` says so.

        Raises:
            StoreNotInitialisedError, StoreDamagedError, IndexIdentityMismatchError.
        """
        exists = self.database.exists()
        if (create and not exists) or (
            exists and not self.database.readonly and self.database.is_older()
        ):
            with self.write():
                pass  # the first write transaction lays or migrates what it needs
        with self.view():
            pass

    @contextmanager
    def view(self) -> Iterator[View]:
        """Yield one state of the store; views inside a view are the same state.

        Raises:
            StoreNotInitialisedError: nothing was written here yet.
            IndexIdentityMismatchError: another analyser or embedder built the index.
        """
        with self.database.read() as connection:
            state = read_state(connection)
            check_identity(state, analyzer=self.analyzer, embedder=self.embedder, writing=False)
            yield View(connection=connection, state=state, tables=self._tables)

    @contextmanager
    def write(self) -> Iterator[tuple[sqlite3.Connection, State]]:
        """Yield the one write transaction and the state it begins with.

        Raises:
            ReadonlyError, StoreLockedError, IndexIdentityMismatchError.
        """
        manifest = {"analyzer": self.analyzer, "embedder": identity_text(self.embedder)}
        with self.database.write(manifest) as connection:
            state = read_state(connection)
            check_identity(state, analyzer=self.analyzer, embedder=self.embedder, writing=True)
            yield connection, state

    def index_version(self) -> str:
        """Name what the index is built with; both channels say the same."""
        return f"local-{SCHEMA_VERSION}:{self.analyzer}:{self.embedder or 'none'}"
