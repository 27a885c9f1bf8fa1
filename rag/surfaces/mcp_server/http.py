"""Serves many clients over streamable HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server

from rag.errors import ConfirmationRequiredError
from rag.surfaces.listening import bound_socket, is_loopback, signals_end_it, url_of

PATH = "/mcp"
SHUTDOWN_S = 10  # what running look-ups get to finish: as long as one may take by default


def http_app(server: Server[dict[str, Any]], *, host: str) -> Callable[..., Any]:
    """Return the ASGI application; its lifespan is the server's.

    On a loopback host, requests with a foreign Host or Origin header are refused, so that no web
    page that the user visits can talk to it.
    """
    return server.streamable_http_app(streamable_http_path=PATH, host=host)


def serve_http(
    server: Server[dict[str, Any]],
    *,
    host: str,
    port: int,
    allow_remote: bool,
    listening: Callable[[str], None],
) -> None:
    """Serve until a signal ends it; calls that run are finished first.

    ``listening`` is told the URL; port 0 takes a free one.

    Raises:
        ConfirmationRequiredError: the host is not this machine alone, and that was not allowed.
        InvalidArgumentError: the address cannot be used.
    """
    if not (allow_remote or is_loopback(host)):
        raise ConfirmationRequiredError(
            f"{host} can be reached from other machines, and whoever reaches it can use the base",
            given=host,
            allowed="127.0.0.1, ::1 or localhost",
            hint="put a proxy that asks for credentials in front; or add --allow-remote if the "
            "network is trusted, and --readonly if nobody is to write",
        )
    with bound_socket(host, port) as bound:
        listening(url_of(bound, host) + PATH)
        config = uvicorn.Config(
            http_app(server, host=host),
            log_config=None,  # it would write to standard output, and has been set up already
            access_log=False,
            timeout_graceful_shutdown=SHUTDOWN_S,
        )
        with signals_end_it():
            anyio.run(uvicorn.Server(config).serve, [bound])
