"""Finds the API key of a request."""

from __future__ import annotations

import base64
import binascii

from starlette.requests import HTTPConnection

from rag.surfaces.http_api.api_keys import ApiKeyRing, Caller

API_KEY_HEADER = "x-api-key"


def bearer_caller(keys: ApiKeyRing, request: HTTPConnection, scope: str) -> Caller:
    """Return who asks, by ``Authorization: Bearer KEY`` or ``X-API-Key: KEY``.

    Browsers send neither by themselves, so no other site can use a visitor's key.

    Raises:
        UnauthenticatedError: no known key came with the request.
        ForbiddenError: the key lacks the scope.
    """
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    key = value.strip() if kind.lower() == "bearer" else request.headers.get(API_KEY_HEADER)
    return _known(keys, request, key, scope)


def browser_caller(keys: ApiKeyRing, request: HTTPConnection, scope: str) -> Caller:
    """Return who asks, by the password of Basic authentication, which browsers ask for.

    For pages that only show: a browser sends this by itself, whoever made the link.
    """
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return bearer_caller(keys, request, scope)
    return _known(keys, request, _password(value), scope)


def _known(keys: ApiKeyRing, request: HTTPConnection, key: str | None, scope: str) -> Caller:
    caller = keys.caller(key or None)
    request.state.key = caller.name  # for the log
    caller.require(scope)
    return caller


def _password(encoded: str) -> str | None:
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return decoded.partition(":")[2] or None
