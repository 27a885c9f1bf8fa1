"""Places for Milvus stores: one Milvus Lite folder in this process, one server process."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("rag.testing.store_contract_parts")

from rag.errors import StoreUnreachableError  # noqa: E402  # after the rewriting is asked for
from rag.ranking import ReciprocalRankFusion  # noqa: E402  # likewise
from rag.settings import StoreSettings  # noqa: E402  # likewise
from rag.stores.milvus.connection import connect  # noqa: E402  # likewise
from rag.stores.milvus.store import MilvusHybridKnowledgeStore  # noqa: E402  # likewise
from rag.testing.store_contract import ANALYZER, EMBEDDER, OpenStore  # noqa: E402  # likewise

START_S = 30.0  # a server process imports pymilvus and pyarrow first, on a machine that is busy


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
    log = (folder.parent / "log").open("w")
    process = subprocess.Popen(command, stdout=log, stderr=log)
    uri = f"http://127.0.0.1:{port}"
    try:
        _await_server(uri, process)
        yield uri
    finally:
        process.terminate()
        process.wait(timeout=START_S)
        log.close()


def _await_server(uri: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while True:
        try:
            connect(StoreSettings(uri=uri)).release()
        except StoreUnreachableError:
            if process.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return


@pytest.fixture
def new_path(tmp_path: Path) -> Callable[[], str]:
    """Return what gives the path of a Milvus Lite folder that is not there yet."""
    count = iter(range(1_000))
    return lambda: str(tmp_path / f"kb{next(count)}.db")
