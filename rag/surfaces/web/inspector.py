"""Adds the inspector's pages to a service."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from rag.errors import RagError, UnauthenticatedError
from rag.surfaces.http_api.problem import headers_of, status_of
from rag.surfaces.web import pages
from rag.surfaces.web.rendering import render

STATIC = Path(__file__).parent / "static"
NOT_PAGES = ("/v1/", "/static/", "/healthz", "/readyz", "/metrics", "/openapi.json")
HTML = "text/html"
NO_SUCH_PAGE = 404
REALM = 'Basic realm="rag inspector: any name, and an API key as password", charset="UTF-8"'


def add_to(app: FastAPI) -> None:
    """Serve the inspector at ``/``."""
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.state.has_inspector = True


def is_page(request: Request) -> bool:
    """Whether a person's browser asked, so that the answer is to be a page."""
    if not getattr(request.app.state, "has_inspector", False):
        return False
    return HTML in request.headers.get("accept", "") and not request.url.path.startswith(NOT_PAGES)


def error_page(request: Request, error: RagError) -> Response:
    """Return a page that says what went wrong and what to do.

    At an address where nothing is, that is the search; a program is sent to the API's description.
    """
    headers = headers_of(error)
    if isinstance(error, UnauthenticatedError):
        headers["WWW-Authenticate"] = REALM  # makes the browser ask for the key
    status = status_of(error)
    if request.scope.get("endpoint") is None and status == NO_SUCH_PAGE:
        body = render("no_page.html", page="error", path=request.url.path)
    else:
        body = render("error.html", page="error", error=error, status=status)
    return HTMLResponse(body, status_code=status, headers=headers)
