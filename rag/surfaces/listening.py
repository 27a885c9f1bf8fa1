"""The address that a service listens on, and the signals that end it."""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from rag.errors import InvalidArgumentError

LOOPBACK_NAME = "localhost"
PORTS = range(65_536)
BACKLOG = 256  # connections that may wait to be taken; beyond the clients that a base serves


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == LOOPBACK_NAME


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a listening TCP socket; port 0 takes a free one.

    Raises:
        InvalidArgumentError: the address cannot be used.
    """
    try:
        if port not in PORTS:  # the system's resolver would take it modulo 65,536
            raise OverflowError("no such port")
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise InvalidArgumentError(
            f"cannot listen on {host} port {port}: {error}",
            given=f"{host}:{port}",
            allowed="an address of this machine and a free port, 0 to 65,535",
            hint="name another with --port; 0 takes a free one",
        ) from None
    # asyncio turns Nagle's algorithm off only on a socket that says it is TCP; left on, an answer
    # sent in two packets waits for the client's delayed acknowledgement, 40 ms
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=bound.detach())


def url_of(bound: socket.socket, host: str) -> str:
    """Return the URL, without a path, of a service that listens on ``bound`` under a name."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{bound.getsockname()[1]}"


@contextmanager
def signals_end_it() -> Iterator[None]:
    """Let a signal be an end like any other, once what runs is finished.

    uvicorn raises the signal again when it is done, for whoever had a handler before it; the
    default ones would end the process there and then.
    """
    ends = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda _number, _frame: None) for number in ends}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
