"""Errors that HTTP has a status of its own for; their codes are those of their kind."""

from __future__ import annotations

from rag.errors import ForbiddenError, InvalidArgumentError


class MethodNotAllowedError(InvalidArgumentError):
    """The address exists, and does not take this method (405)."""


class RequestTooLargeError(InvalidArgumentError):
    """The body has more bytes than the service takes (413)."""


class UnsupportedMediaTypeError(InvalidArgumentError):
    """The body is of a kind that is not read here (415)."""


class HostNotAllowedError(ForbiddenError):
    """The Host header names somebody else (421)."""
