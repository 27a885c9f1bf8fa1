"""Opening the index in a Milvus, or making it where there is none."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from rag.embedding.protocol import EmbedderIdentity
from rag.errors import StoreDamagedError, StoreError, StoreNotInitialisedError
from rag.settings import StoreSettings
from rag.stores.milvus.connection import MilvusConnection
from rag.stores.milvus.errors import INDEX_NOT_FOUND, milvus_errors
from rag.stores.milvus.half_made import clear_half_made
from rag.stores.milvus.index import MilvusIndex
from rag.stores.milvus.ledger import Ledger
from rag.stores.milvus.manifest import check_identity, new_manifest
from rag.stores.milvus.schema import (
    CHUNK_FIELDS,
    chunk_indexes,
    chunk_schema,
    create_collection,
)
from rag.stores.milvus.score_probe import probe_scores

MAKING_TRIES: Final = 20  # times MAKING_WAIT_S: how long another process may take to make it
MAKING_WAIT_S: Final = 0.25
MAKING_TIMEOUT_S: Final = 60.0  # a server builds five indexes and loads two collections


def open_index(
    connection: MilvusConnection,
    settings: StoreSettings,
    *,
    analyzer: str,
    embedder: EmbedderIdentity | None,
    bm25_k1: float,
    bm25_b: float,
    create: bool,
) -> MilvusIndex:
    """Return the index ``settings.collection``.

    It is two collections: the chunk rows, and beside them ``…_ledger``. The ledger's manifest is
    written last of all, so an index without it was never used.

    Raises:
        StoreNotInitialisedError: there is none, and ``create`` is False.
        IndexIdentityMismatchError: another schema, analyser or embedder built it.
        StoreDamagedError: the collections are not as this program makes them.
        ScoreDirectionError: the engine's scores cannot be read.
    """
    chunks, ledger = (
        settings.collection,
        Ledger(connection, f"{settings.collection}_ledger", settings.timeout_s),
    )
    making_s = max(MAKING_TIMEOUT_S, settings.timeout_s)
    with connection.write_lock:  # of several stores that open at once, one makes the index
        if not _is_there(connection, chunks, ledger):
            if not create:
                raise StoreNotInitialisedError(
                    f"there is no index at {connection.uri} yet",
                    given=connection.uri,
                    hint="ingest something first: rag ingest FOLDER",
                )
            made = new_manifest(analyzer, embedder)
            dimensions = None if embedder is None else embedder.dimensions
            if connection.engine.exclusive:
                clear_half_made(Path(connection.uri), (chunks, ledger.collection))
            with connection.errors("create the index"):
                create_collection(
                    connection.client,
                    connection.engine,
                    chunks,
                    chunk_schema(connection.engine, dimensions),
                    chunk_indexes(
                        connection.engine,
                        dense=dimensions is not None,
                        bm25_k1=bm25_k1,
                        bm25_b=bm25_b,
                    ),
                    making_s,
                )
            ledger.create(made)
        manifest = ledger.manifest()
        if manifest is None:
            raise StoreDamagedError(
                f"the index at {connection.uri} has no manifest", given=settings.collection
            )
        check_identity(manifest, analyzer=analyzer, embedder=embedder, uri=connection.uri)
        sign_key = f"sign of {chunks}"
        if sign_key not in connection.shared:
            connection.shared[sign_key] = probe_scores(
                connection, ledger.collection, settings.timeout_s
            )
    return MilvusIndex(
        connection,
        chunks,
        ledger,
        manifest,
        bm25_sign=connection.shared[sign_key],
        timeout_s=settings.timeout_s,
    )


def _is_there(connection: MilvusConnection, chunks: str, ledger: Ledger) -> bool:
    """Whether the index is there and loaded; what a cut-short making left is taken away."""
    client = connection.client
    opening = milvus_errors(connection.uri, "open", damaged=connection.engine.exclusive)
    with opening:
        there = set(client.list_collections(timeout=ledger.timeout_s)) & {chunks, ledger.collection}
        if not there:
            return False
        loaded = all(_loaded(client, name, ledger.timeout_s) for name in sorted(there))
    if loaded and there == {chunks, ledger.collection} and _await_manifest(connection, ledger):
        _check_fields(connection, chunks)
        return True
    if chunks in there:
        _check_fields(connection, chunks)
        if not _is_empty(client, connection, chunks, loaded=loaded):
            lost = f"its ledger {ledger.collection!r}" if loaded else "the indexes of its fields"
            raise StoreDamagedError(
                f"the index at {connection.uri} has lost {lost}",
                given=chunks,
                hint="nothing was changed; set store.collection to another name and ingest again",
            )
    if not connection.engine.exclusive:
        raise StoreError(
            f"another process is making the index at {connection.uri}, or was stopped at it",
            given=chunks,
            hint=f"try again; if it stays, drop the empty collections {chunks!r} "
            f"and {ledger.collection!r}",
        )
    with connection.errors("make the index anew"):
        for name in there:
            client.drop_collection(name, timeout=ledger.timeout_s)
    return False


def _loaded(client: MilvusClient, name: str, timeout_s: float) -> bool:
    """Load a collection; False where its making was cut short before it had its indexes."""
    try:
        client.load_collection(name, timeout=max(MAKING_TIMEOUT_S, timeout_s))
    except MilvusException as error:
        if error.code == INDEX_NOT_FOUND:
            return False
        raise
    return True


def _await_manifest(connection: MilvusConnection, ledger: Ledger) -> bool:
    for _ in range(1 if connection.engine.exclusive else MAKING_TRIES):
        if ledger.manifest() is not None:
            return True
        if not connection.engine.exclusive:
            time.sleep(MAKING_WAIT_S)
    return False


def _check_fields(connection: MilvusConnection, chunks: str) -> None:
    with milvus_errors(connection.uri, "open", damaged=connection.engine.exclusive):
        described = connection.client.describe_collection(chunks, timeout=MAKING_TIMEOUT_S)
    names = {field["name"] for field in described["fields"]}
    missing = sorted(set(CHUNK_FIELDS) - names)
    if missing:
        raise StoreDamagedError(
            f"the collection {chunks!r} at {connection.uri} is none of ours: "
            f"it has no field {', '.join(missing[:3])}",
            given=chunks,
            hint="nothing was changed; set store.collection to another name",
        )


def _is_empty(
    client: MilvusClient, connection: MilvusConnection, chunks: str, *, loaded: bool
) -> bool:
    with connection.errors("open"):
        if not loaded:  # then rows cannot be read, only counted
            counted = client.get_collection_stats(chunks, timeout=MAKING_TIMEOUT_S)
            return int(counted["row_count"]) == 0
        return not client.query(
            chunks, filter="part >= -1", output_fields=["row_id"], limit=1, timeout=MAKING_TIMEOUT_S
        )
