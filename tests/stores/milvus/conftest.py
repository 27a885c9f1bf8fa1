"""Places for Milvus stores: one Milvus Lite folder in this process, one server process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag.ranking import ReciprocalRankFusion
from rag.settings import StoreSettings
from rag.stores.milvus.connection import connect
from rag.stores.milvus.store import MilvusHybridKnowledgeStore
from rag.testing.store_contract import ANALYZER, EMBEDDER, OpenStore

STOP_S = 30.0  # the server drains what it was asked before


def open_at(uri: str) -> OpenStore:
    """Return what opens collections of one Milvus as places."""

    def open_store(place, *, embedder=EMBEDDER.identity, analyzer=ANALYZER):
        return MilvusHybridKnowledgeStore(
            StoreSettings(uri=uri, collection=place),
            analyzer=analyzer,
            embedder=embedder,
            fusion=ReciprocalRankFusion(),
        )

    return open_store


@pytest.fixture(scope="session")
def lite_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the path of a Milvus Lite folder that stays open for the whole session."""
    uri = str(tmp_path_factory.mktemp("lite") / "kb.db")
    held = connect(StoreSettings(uri=uri))
    yield uri
    held.release()


@pytest.fixture(scope="session")
def server_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URI of a Milvus Lite server process on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("served") / "kb.db"
    command = [str(Path(sys.executable).with_name("milvus-lite")), "server"]
    command += ["--data-dir", str(folder), "--port", str(port), "--host", "127.0.0.1"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        text=True,
    )
    try:
        assert "listening" in process.stdout.readline()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=STOP_S)
        process.stdout.close()


@pytest.fixture
def new_path(tmp_path: Path) -> Callable[[], str]:
    """Return what gives the path of a Milvus Lite folder that is not there yet."""
    count = iter(range(1_000))
    return lambda: str(tmp_path / f"kb{next(count)}.db")
