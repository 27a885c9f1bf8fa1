"""Listens, serves, and stops without dropping what runs."""

from __future__ import annotations

from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from rag.errors import ConfirmationRequiredError
from rag.settings import ServerSettings
from rag.surfaces.listening import BACKLOG, bound_socket, is_loopback, signals_end_it, url_of


def check_exposure(settings: ServerSettings) -> None:
    """Raise ConfirmationRequiredError where strangers could use the base without a key."""
    if settings.keys or settings.allow_without_keys or is_loopback(settings.host):
        return
    raise ConfirmationRequiredError(
        f"{settings.host} can be reached from other machines, and no API key is set",
        given=settings.host,
        allowed="127.0.0.1, ::1 or localhost; or any address with server.keys set",
        hint="make a key with: rag serve --new-key NAME; or, on a trusted network, add "
        "--allow-without-keys",
    )


def serve(app: FastAPI, settings: ServerSettings, *, listening: Callable[[str], None]) -> None:
    """Serve until a signal ends it; requests that run are finished first.

    ``listening`` is told the URL.

    Raises:
        ConfirmationRequiredError: other machines could use the base without a key.
        InvalidArgumentError: the address cannot be used.
    """
    check_exposure(settings)
    with bound_socket(settings.host, settings.port) as bound:
        listening(f"{url_of(bound, settings.host)}/")
        with signals_end_it():
            uvicorn.Server(server_config(app, settings)).run([bound])


def server_config(app: FastAPI, settings: ServerSettings) -> uvicorn.Config:
    """Return how uvicorn is to serve the application."""
    return uvicorn.Config(
        app,
        log_config=None,  # logging has been set up already, to standard error
        access_log=False,  # the request layer logs each request, with its id
        server_header=False,
        date_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=settings.shutdown_s,
    )
