"""A real HTTP server on this machine that answers as ``/v1/embeddings`` does."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSIONS = 4


def vector_of(text: str) -> list[float]:
    """Return the raw vector the server gives a text: four numbers from its CRC-32, never zero."""
    digest = zlib.crc32(text.encode())
    return [1.0 + (digest >> shift & 255) for shift in (0, 8, 16, 24)]


@dataclass
class Reply:
    """One answer; ``body`` is sent as JSON."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Answer = Callable[[list[str]], Reply]


def embeddings(texts: list[str]) -> Reply:
    """Answer as a server should."""
    data = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(texts)]
    return Reply({"data": data})


@dataclass
class EmbeddingsServer:
    """What a test sees of the server: where it is, what it was asked, what it will answer."""

    base_url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    """Answers for the next requests, one each; afterwards ``default`` answers."""
    default: Answer = embeddings


@contextmanager
def embeddings_server() -> Iterator[EmbeddingsServer]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                server.requests.append(
                    {"path": self.path, "headers": dict(self.headers), "body": body}
                )
                answer = server.answers.pop(0) if server.answers else server.default
            reply = answer(body["input"])
            content = json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            """Say nothing on standard error."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = EmbeddingsServer(base_url=f"http://127.0.0.1:{http.server_port}/v1")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
