"""Reads what a client sent, no more of it than allowed and no longer than allowed."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.requests import Request

from rag.errors import DeadlineExceededError, InvalidArgumentError
from rag.surfaces.http_api.http_errors import RequestTooLargeError, UnsupportedMediaTypeError
from rag.surfaces.http_api.services import services_of

JSON = "application/json"


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body.

    Raises:
        RequestTooLargeError: it has, or says that it has, more than ``limit`` bytes.
        DeadlineExceededError: it did not come in time.
    """
    timeout_s = services_of(request).settings.server.timeout_s
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdigit() and int(announced[:20]) > limit:
        raise _too_large(limit, announced[:20])
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(timeout_s):
            async for part in request.stream():
                size += len(part)
                if size > limit:
                    raise _too_large(limit, f"more than {limit}")
                parts.append(part)
    except TimeoutError:
        raise DeadlineExceededError(
            f"the request's body did not come within {timeout_s:g} s", given=timeout_s
        ) from None
    return b"".join(parts)


async def read_json(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body.

    Raises:
        UnsupportedMediaTypeError: it is not announced as JSON.
        InvalidArgumentError: it is no JSON, or no object.
    """
    given = media_type(request)
    if given != JSON:
        # also the reason why no form on another site can send this request
        raise UnsupportedMediaTypeError(
            f"the body must be {JSON}; got {given or 'no Content-Type'}", given=given, allowed=JSON
        )
    body = await read_body(request, services_of(request).settings.server.max_request_bytes)
    return parsed_object(body)


def parsed_object(body: bytes) -> dict[str, Any]:
    """Return the object that a body of JSON holds; raises InvalidArgumentError."""
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidArgumentError(
            f"the body is no JSON: {reason}", allowed="a JSON object in UTF-8"
        ) from None
    if not isinstance(value, dict):
        raise InvalidArgumentError(
            f"the body must be a JSON object; got {type(value).__name__}", allowed="a JSON object"
        )
    return value


def media_type(request: Request) -> str:
    """Return the kind of the body as announced, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _too_large(limit: int, given: str) -> RequestTooLargeError:
    return RequestTooLargeError(
        f"the request's body has {given} bytes; at most {limit:,} are taken",
        given=given,
        allowed=f"at most {limit:,} bytes",
        hint="send less at a time",
    )
