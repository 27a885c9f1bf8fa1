"""Errors as HTTP answers: ``error.v1`` within problem details (RFC 9457)."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from rag import errors
from rag.errors import RagError
from rag.surfaces.http_api.http_errors import (
    HostNotAllowedError,
    MethodNotAllowedError,
    RequestTooLargeError,
    UnsupportedMediaTypeError,
)

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:rag-evidence:error:"
RETRY_AFTER_S = 1  # a look-up takes milliseconds, so a place is free soon

BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, METHOD_NOT_ALLOWED = 400, 401, 403, 404, 405
CONFLICT, TOO_LARGE, UNSUPPORTED, MISDIRECTED, UNPROCESSABLE = 409, 413, 415, 421, 422
INTERNAL, UNAVAILABLE = 500, 503

# The most special class that an error belongs to decides; see status_of.
_STATUS: dict[type[RagError], int] = {
    errors.RagError: INTERNAL,
    errors.InvalidInputError: BAD_REQUEST,
    errors.StaleCursorError: CONFLICT,
    RequestTooLargeError: TOO_LARGE,
    UnsupportedMediaTypeError: UNSUPPORTED,
    MethodNotAllowedError: METHOD_NOT_ALLOWED,
    errors.NotFoundError: NOT_FOUND,
    errors.UnreadableFileError: UNPROCESSABLE,
    errors.EmbedderUnavailableError: UNAVAILABLE,
    errors.StoreUnreachableError: UNAVAILABLE,
    errors.StoreTimeoutError: UNAVAILABLE,
    errors.StoreLockedError: UNAVAILABLE,
    errors.StoreNotInitialisedError: UNAVAILABLE,
    errors.RetrievalError: UNAVAILABLE,
    errors.OverloadedError: UNAVAILABLE,
    errors.RefusedError: FORBIDDEN,
    errors.ConfirmationRequiredError: CONFLICT,
    errors.UnauthenticatedError: UNAUTHORIZED,
    HostNotAllowedError: MISDIRECTED,
}


def status_of(error: RagError) -> int:
    """Return the HTTP status of an error; its code says more."""
    return next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)


def problem(error: RagError, *, request_id: str) -> dict[str, Any]:
    """Return the members of ``error.v1`` with those of problem details beside them."""
    return {
        "type": TYPE_PREFIX + error.code,
        "title": error.code.replace("_", " ").capitalize(),
        "status": status_of(error),
        "detail": error.message,
        "instance": f"urn:rag-evidence:request:{request_id}",
        **error.to_wire(),
    }


def problem_response(error: RagError, *, request_id: str) -> Response:
    """Return the answer to a request that failed."""
    body = json.dumps(problem(error, request_id=request_id), default=str)
    return Response(
        body, status_code=status_of(error), media_type=MEDIA_TYPE, headers=headers_of(error)
    )


def headers_of(error: RagError) -> dict[str, str]:
    """Return the headers that go with an error: when to come again, or how to say who one is."""
    status = status_of(error)
    if status == UNAVAILABLE:
        return {"Retry-After": str(RETRY_AFTER_S)}
    if status == UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="rag"'}
    return {}


def internal_error() -> RagError:
    """Return what is said of a fault of ours; the log has what happened, the answer has not."""
    return RagError(
        "the service failed on this request",
        hint="the service's log tells more under the same request id",
    )
