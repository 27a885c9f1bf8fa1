"""Opening a Milvus Lite folder or a Milvus server, shared within the process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pymilvus import MilvusClient

from rag.errors import (
    ConfigError,
    StoreError,
    StoreNotInitialisedError,
    StoreTooOldError,
)
from rag.platform.at_path import at_path, real_path
from rag.settings import StoreSettings
from rag.settings.server_address import is_server
from rag.stores.milvus.engine import Engine, check_age, engine_of
from rag.stores.milvus.errors import milvus_errors, tame_logging
from rag.stores.milvus.lite_server import folder_at, refuse_foreign, start_lite, stop_lite
from rag.stores.place import look_for_store

CONNECT_TIMEOUT_S = 3.0  # a server that is there answers in milliseconds, also far away
MAINTENANCE_S = 120.0  # Lite merges and indexes inside the call that sets it off; seconds at size
UNFLUSHED_ROWS = 64  # Lite walks unflushed rows in Python; up to here that costs under 5 ms


class MilvusConnection:
    """One client for all stores of this process at one place; get it with :func:`connect`.

    ``write_lock`` serialises writers of this process. ``shared`` is a place where the stores
    over one connection keep what they must agree on.
    """

    def __init__(
        self,
        key: tuple[str, ...],
        uri: str,
        client: MilvusClient,
        engine: Engine,
        *,
        owns_lite: bool = False,
        folder: tuple[int, int] | None = None,
    ) -> None:
        self.key: Final = key
        self.uri: Final = uri
        self._owns_lite = owns_lite
        self._folder = folder
        self.client: Final = client
        self.engine: Final = engine
        self.write_lock: Final = threading.RLock()
        self.shared: Final[dict[str, Any]] = {}
        self._unflushed: dict[str, int] = {}
        self._flush_lock = threading.Lock()
        self.holders = 0

    @contextmanager
    def errors(self, action: str) -> Iterator[None]:
        """Map engine errors raised inside; see :func:`milvus_errors`."""
        with milvus_errors(self.uri, action):
            yield

    def require_present(self) -> None:
        """Raise where the folder of a Milvus Lite went, or another took its place (a stat, 2 µs).

        Milvus Lite does not notice: it would answer from memory and open files, and take writes
        that nobody will find again.

        Raises:
            StoreNotInitialisedError: the folder that was opened is not there any more.
        """
        if self._is_gone():
            raise StoreNotInitialisedError(
                f"the index that was opened at {self.uri} is not there any more",
                given=self.uri,
                hint="open it again; if nothing has taken its place, ingest anew",
            )

    def _is_gone(self) -> bool:
        return self._folder is not None and folder_at(self.key[0]) != self._folder

    def wrote(self, collection: str, rows: int) -> None:
        """Take note of rows that Milvus Lite has not flushed yet."""
        if self.engine.lite:
            with self._flush_lock:
                known = self._unflushed.get(collection)
                if known is not None:
                    self._unflushed[collection] = known + rows

    def settle(self, collection: str) -> None:
        """Flush before a search where searching unflushed rows would be slow (Lite only).

        Milvus Lite 3.2.2 builds its word index anew at every search for rows that are not
        flushed: 0.6 to 1 s for 5,000 of them, against 25 ms afterwards. What an earlier process
        left unflushed is not known, so the first search flushes once.
        """
        if not self.engine.lite or not self._is_due(collection):
            return
        with self._flush_lock, self.errors("flush"):
            if self._is_due(collection):
                self.client.flush(collection, timeout=MAINTENANCE_S)
                self._unflushed[collection] = 0

    def patience(self, timeout_s: float) -> float:
        """Return how long a call may take in which Milvus Lite may put its rows in order."""
        return max(timeout_s, MAINTENANCE_S) if self.engine.lite else timeout_s

    def _is_due(self, collection: str) -> bool:
        return self._unflushed.get(collection, UNFLUSHED_ROWS + 1) > UNFLUSHED_ROWS

    def release(self) -> None:
        """Give the connection back; the last holder closes it and frees a Lite folder's lock."""
        with _REGISTRY_LOCK:
            self.holders -= 1
            if self.holders > 0:
                return
            _OPEN.pop(self.key, None)
            self.client.close()
            if self._owns_lite:
                stop_lite(self.key[0], write=not self._is_gone())


_OPEN: dict[tuple[str, ...], MilvusConnection] = {}
_REGISTRY_LOCK = threading.Lock()


def connect(settings: StoreSettings, *, create: bool = True) -> MilvusConnection:
    """Return the connection to ``settings.uri``, opening it where this process has none yet.

    Each call is to be matched by one :meth:`MilvusConnection.release`.

    Args:
        settings: Where to connect.
        create: Make the folder of a Milvus Lite that is not there yet.

    Raises:
        StoreNotInitialisedError: there is no such folder, and ``create`` is False.
        StoreLockedError: another process holds the Milvus Lite folder.
        StoreDamagedError: the path holds something else, or is damaged; nothing was changed.
        StoreUnreachableError: no server answers, or what answers is no Milvus.
        StoreTooOldError: the server has no full-text search.
        ConfigError: the URI or certificate is none that Milvus takes.
    """
    token = settings.token.get_secret_value() if settings.token else ""
    server = is_server(settings.uri)
    place = settings.uri if server else _folder(settings.uri)
    key = (place, token, settings.database)
    with _REGISTRY_LOCK:
        connection = _OPEN.get(key)
        if connection is None:
            tame_logging()
            if not (server or create or at_path(place).exists):
                raise StoreNotInitialisedError(
                    f"there is no index at {settings.uri} yet",
                    given=settings.uri,
                    allowed="the path of a base that something was ingested into",
                    hint="ingest something first: rag ingest FOLDER",
                )
            opened = _open_server if server else _open_lite
            connection = _OPEN[key] = opened(key, settings, token)
        else:
            connection.require_present()
        connection.holders += 1
        return connection


def _folder(uri: str) -> str:
    """Return the absolute path of a Milvus Lite folder, with links followed."""
    look_for_store(uri)
    return str(real_path(uri))


def _open_server(key: tuple[str, ...], settings: StoreSettings, token: str) -> MilvusConnection:
    certificate = settings.tls_ca_path
    if certificate is not None and not at_path(certificate).is_file:
        raise ConfigError(
            f"no certificate at {certificate}",
            given=str(certificate),
            allowed="the path of a PEM file",
            hint="check store.tls_ca_path",
        )
    options = {"ca_pem_path": str(certificate)} if certificate else {}
    timeout_s = min(CONNECT_TIMEOUT_S, settings.timeout_s)
    with milvus_errors(settings.uri, "connect"):
        client = MilvusClient(
            settings.uri,
            token=token,
            db_name=settings.database,
            timeout=timeout_s,
            dedicated=True,
            **options,
        )
        version = str(client.get_server_version(timeout=timeout_s))
    engine = engine_of(version, exclusive=False)
    try:
        check_age(engine, settings.uri)
    except StoreTooOldError:
        client.close()
        raise
    return MilvusConnection(key, settings.uri, client, engine)


def _open_lite(key: tuple[str, ...], settings: StoreSettings, _token: str) -> MilvusConnection:
    path = Path(key[0])
    refuse_foreign(path, settings.uri)
    uri, owned = start_lite(path, settings.uri)
    try:
        with milvus_errors(settings.uri, "open", damaged=True):
            client = MilvusClient(
                uri, db_name=settings.database, timeout=CONNECT_TIMEOUT_S, dedicated=True
            )
            version = str(client.get_server_version(timeout=CONNECT_TIMEOUT_S))
    except StoreError:
        if owned:
            stop_lite(key[0])
        raise
    engine = engine_of(version, exclusive=True)
    return MilvusConnection(
        key, settings.uri, client, engine, owns_lite=owned, folder=folder_at(key[0])
    )
