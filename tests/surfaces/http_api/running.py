"""A service on a real port, in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import uvicorn

from rag.surfaces.http_api.app import build_app
from rag.surfaces.http_api.server import server_config
from rag.surfaces.http_api.services import Services
from rag.surfaces.listening import bound_socket

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 60


@contextmanager
def running(services: Services) -> Iterator[tuple[str, uvicorn.Server]]:
    """Serve in a thread on a free port; yield the address and the server."""
    server = uvicorn.Server(server_config(build_app(services), services.settings.server))
    with bound_socket("127.0.0.1", 0) as bound:
        thread = Thread(target=server.run, args=([bound],), name="test-server")
        thread.start()
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}", server
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run ``rag serve`` in ``folder`` on a free port; yield the address that it prints."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAG_")}
    environment |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "cache")}
    process = subprocess.Popen(
        [sys.executable, "-m", "rag", "serve", "--port", "0", "--embedder", "hashing", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert " at http://" in line, line + process.stderr.read()
        yield line.split(" at ")[1].split("/;")[0], process
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
