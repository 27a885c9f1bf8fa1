"""What goes round every request: its id, the guard, headers, counters, the log."""

from __future__ import annotations

import re
import time
import traceback
import uuid
from collections.abc import Callable
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.errors import RagError
from rag.platform.logs import get_logger
from rag.surfaces.http_api.guard import RequestGuard
from rag.surfaces.http_api.metrics import ServiceMetrics
from rag.surfaces.http_api.problem import internal_error

ID_HEADER = "x-request-id"
ID_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
NO_ROUTE = "(none)"
METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"})
OTHER_METHOD = "(other)"  # a request may name any, and each would be a series of its own
CLIENT_GONE = 499  # nginx' number for a client that went away before it was answered

# For pages and JSON alike: nothing here is to be framed, sniffed, cached or told to others.
SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

_log = get_logger(__name__)


class RequestLayer:
    """ASGI middleware, the outermost; it knows of every request, also of those turned away."""

    def __init__(
        self,
        app: ASGIApp,
        guard: RequestGuard,
        metrics: ServiceMetrics,
        on_error: Callable[[Request, RagError], Response],
    ) -> None:
        self._app = app
        self._on_error = on_error
        self._guard = guard
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        headers = Headers(scope=scope)
        request_id = _request_id(headers.get(ID_HEADER, ""))
        scope.setdefault("state", {})["request_id"] = request_id
        status = CLIENT_GONE

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                outgoing = MutableHeaders(scope=message)
                outgoing[ID_HEADER] = request_id
                outgoing.setdefault("cache-control", "no-store")
                for name, value in SECURITY_HEADERS.items():
                    outgoing.setdefault(name, value)
            await send(message)

        try:
            self._guard.check(scope["method"], headers)
            await self._app(scope, receive, send_with_headers)
        except RagError as error:
            await self._on_error(Request(scope), error)(scope, receive, send_with_headers)
        except Exception as error:  # noqa: BLE001  # the last door: the process has to go on
            _log_fault(request_id, scope["path"], error)
            if status == CLIENT_GONE:  # nothing was sent yet
                answer = self._on_error(Request(scope), internal_error())
                await answer(scope, receive, send_with_headers)
        finally:
            self._note(scope, request_id, status, time.perf_counter() - started)

    def _note(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in METHODS else OTHER_METHOD
        self._metrics.answered(method, _route(scope), status, seconds)
        _log.info(
            "answered",
            request_id=request_id,
            method=method,
            path=scope["path"],
            status=status,
            ms=round(seconds * 1_000, 1),
            key=scope["state"].get("key"),
        )


def _log_fault(request_id: str, path: str, error: Exception) -> None:
    place = traceback.extract_tb(error.__traceback__)[-1]
    _log.error(
        "a request failed by a fault of this program",
        request_id=request_id,
        path=path,
        error=repr(error),
        where=f"{place.filename}:{place.lineno}",
    )


def request_id_of(state: Any) -> str:
    """Return the id of the request that ``state`` belongs to."""
    return str(getattr(state, "request_id", ""))


def _request_id(given: str) -> str:
    """Return the caller's own id where it is a plain one, else a new one."""
    return given if ID_PATTERN.match(given) else uuid.uuid4().hex


def _route(scope: Scope) -> str:
    return str(getattr(scope.get("route"), "path_format", NO_ROUTE))
