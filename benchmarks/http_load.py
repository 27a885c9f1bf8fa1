"""Clients that cost little: prepared requests over plain sockets, so that the service is measured.

A client that parses JSON takes as long as the service does, and both would share two cores.
"""

from __future__ import annotations

import itertools
import json
import socket
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Thread
from urllib.parse import urlsplit

READ_BYTES = 1 << 16
TIMEOUT_S = 60.0
OK = b"HTTP/1.1 200"


@dataclass(slots=True)
class LoadResult:
    """What some clients saw; times in milliseconds, one per answer."""

    times_ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def figures(self) -> dict[str, float]:
        """Return rate and times for a report."""
        ordered = sorted(self.times_ms)
        return {
            "answers": len(ordered),
            "errors": len(self.errors),
            "per_second": round(len(ordered) / self.seconds, 1),
            "median_ms": round(statistics.median(ordered), 2),
            "p95_ms": round(percentile(ordered, 0.95), 2),
            "p99_ms": round(percentile(ordered, 0.99), 2),
            "most_ms": round(ordered[-1], 2),
        }


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which a share of ordered values lies."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def look_up_requests(address: str, questions: Sequence[str]) -> list[bytes]:
    """Return one request for each question, ready to be sent."""
    host = urlsplit(address).netloc
    requests = []
    for question in questions:
        body = json.dumps({"query": question}).encode()
        head = (
            f"POST /v1/lookup HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        requests.append(head.encode() + body)
    return requests


def run_clients(
    address: str,
    requests: Sequence[bytes],
    *,
    clients: int,
    seconds: float | None = None,
    count: int | None = None,
    per_second: float | None = None,
) -> LoadResult:
    """Let clients ask at the same time, for so long or so often; return what they saw.

    Without ``per_second`` each client asks again as soon as it is answered. With it, requests are
    due at even intervals, and an answer's time counts from when its request was due, so that a
    service which falls behind is not flattered by clients that wait for it.
    """
    result = LoadResult()
    turns = itertools.count()
    started = time.perf_counter()
    ends = started + (seconds if seconds is not None else TIMEOUT_S * 60)

    def client() -> None:
        with _connected(address) as connection:
            while True:
                turn = next(turns)  # one call of C code: no two clients get the same
                if count is not None and turn >= count:
                    return
                due = started + turn / per_second if per_second else time.perf_counter()
                if max(due, time.perf_counter()) >= ends:
                    return
                if (wait := due - time.perf_counter()) > 0:
                    time.sleep(wait)
                error = _ask(connection, requests[turn % len(requests)])
                if error is not None:
                    result.errors.append(error)
                    return
                result.times_ms.append((time.perf_counter() - due) * 1_000)

    threads = [Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result.seconds = time.perf_counter() - started
    return result


def _connected(address: str) -> socket.socket:
    place = urlsplit(address)
    connection = socket.create_connection((place.hostname, place.port), timeout=TIMEOUT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _ask(connection: socket.socket, request: bytes) -> str | None:
    """Send a request and read its whole answer; return what was wrong, None if nothing."""
    connection.sendall(request)
    answer = bytearray()
    while (end := answer.find(b"\r\n\r\n")) < 0:
        part = connection.recv(READ_BYTES)
        if not part:
            return "the connection was closed"
        answer += part
    head = bytes(answer[:end])
    length = int(head.lower().split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
    left = length - (len(answer) - end - 4)
    while left > 0:
        left -= len(connection.recv(min(left, READ_BYTES)))
    return None if head.startswith(OK) else head.split(b"\r\n", 1)[0].decode()
