"""The application: routes, errors, description, and what goes round them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rag import __version__
from rag.errors import InvalidArgumentError, NotFoundError, RagError
from rag.surfaces.http_api import (
    document_routes,
    ingest_routes,
    lookup_routes,
    service_routes,
)
from rag.surfaces.http_api.guard import RequestGuard
from rag.surfaces.http_api.http_errors import MethodNotAllowedError
from rag.surfaces.http_api.openapi_parts import describe
from rag.surfaces.http_api.problem import problem_response
from rag.surfaces.http_api.request_layer import RequestLayer, request_id_of
from rag.surfaces.http_api.services import Services
from rag.surfaces.web import inspector

NOT_FOUND, METHOD_NOT_ALLOWED = 404, 405
# Spans of requests are the framework's own, for a tracer if the process has one.
TELEMETRY: Any = {"logs": False, "metrics": False, "operation_spans": False}


def build_app(services: Services) -> FastAPI:
    """Return the ASGI application over a base; its lifespan is the base's.

    The base is opened by the first request that needs it, unless it is open already, and closed
    when the application ends, after what runs has been finished.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        services.close()

    app = FastAPI(
        title="rag-evidence",
        version=__version__,
        docs_url=None,  # these pages load their code from somebody else's server
        redoc_url=None,
        openapi_url="/openapi.json",
        lifespan=lifespan,
        redirect_slashes=False,
        telemetry=TELEMETRY,
    )
    app.state.services = services
    for routes in (lookup_routes, document_routes, ingest_routes, service_routes):
        app.include_router(routes.router)
    if services.settings.server.inspector:
        inspector.add_to(app)
    app.openapi = partial(  # type: ignore[method-assign]  # the framework's documented way
        _described, app, needs_key=not services.keys.is_empty
    )
    app.add_exception_handler(RagError, _on_rag_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    server = services.settings.server
    app.add_middleware(
        RequestLayer,
        guard=RequestGuard(server.host, server.allowed_hosts),
        metrics=services.metrics,
        on_error=_answer,
    )
    return app


def _described(app: FastAPI, *, needs_key: bool) -> dict[str, Any]:
    if app.openapi_schema is None:
        app.openapi_schema = describe(app, needs_key=needs_key)
    return app.openapi_schema


def _answer(request: Request, error: RagError) -> Response:
    if inspector.is_page(request):
        return inspector.error_page(request, error)
    return problem_response(error, request_id=request_id_of(request.state))


async def _on_rag_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RagError)
    return _answer(request, error)


async def _on_http_error(request: Request, error: Exception) -> Response:
    """Turn what the framework refuses into errors of ours."""
    assert isinstance(error, HTTPException)
    path, method = request.url.path, request.method
    if error.status_code == NOT_FOUND:
        ours: RagError = NotFoundError(
            f"there is nothing at {path!r:.200}", given=path, hint="see /openapi.json"
        )
    elif error.status_code == METHOD_NOT_ALLOWED:
        ours = MethodNotAllowedError(
            f"{path!r:.200} does not take {method:.20}",
            given=method,
            allowed=(error.headers or {}).get("Allow"),
        )
    else:
        ours = InvalidArgumentError(str(error.detail))
    answer = _answer(request, ours)
    answer.headers.update(error.headers or {})
    return answer
