"""The one boundary where pymilvus' exceptions become ours, and where its logging is tamed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import grpc
from pymilvus.exceptions import MilvusException

from rag.errors import (
    RagError,
    StoreDamagedError,
    StoreError,
    StoreTimeoutError,
    StoreUnreachableError,
)
from rag.platform.logs import adopt_logger

CONNECT_FAILED = 2  # pymilvus' Status.CONNECT_FAILED
INDEX_NOT_FOUND = 700  # the server's own code: a collection that has no index yet
MAX_MESSAGE_CHARS = 300  # an engine's message may carry a whole expression or row

_UNREACHABLE = ("StatusCode.UNAVAILABLE", "Fail connecting", "connection refused")
_TIMED_OUT = ("StatusCode.DEADLINE_EXCEEDED", "Retry timeout", "Deadline Exceeded")
_NOT_MILVUS = ("UNIMPLEMENTED", "Trying to connect an http1.x server")
_REFUSED = ("StatusCode.UNAUTHENTICATED", "auth check failure", "StatusCode.PERMISSION_DENIED")


@contextmanager
def milvus_errors(uri: str, action: str, *, damaged: bool = False) -> Iterator[None]:
    """Map what pymilvus and gRPC raise inside to a :class:`StoreError`; ours pass unchanged.

    Args:
        uri: Named in the message.
        action: What was being done, such as ``search``.
        damaged: An answer that is neither time-out nor refusal means that the store's files
            are at fault (while opening a local one).
    """
    try:
        yield
    except RagError:
        raise
    except (MilvusException, grpc.RpcError, grpc.FutureTimeoutError, ValueError) as error:
        raise _mapped(error, uri, action, damaged=damaged) from error


def _mapped(error: Exception, uri: str, action: str, *, damaged: bool) -> StoreError:
    reason = _reason(error)
    if any(sign in reason for sign in _REFUSED):
        return StoreError(
            f"the Milvus server at {uri} refused our credentials",
            given=uri,
            hint="check store.token (RAG_STORE__TOKEN) and store.database",
        )
    if any(sign in reason for sign in _NOT_MILVUS):
        return StoreUnreachableError(
            f"what answers at {uri} is no Milvus server",
            given=uri,
            allowed="the gRPC port of a Milvus server, 19530 by default",
            hint="check the port in store.uri",
        )
    if isinstance(error, MilvusException) and error.code == CONNECT_FAILED:
        return _unreachable(uri)
    if any(sign in reason for sign in _UNREACHABLE):
        return _unreachable(uri)
    if isinstance(error, grpc.FutureTimeoutError) or any(sign in reason for sign in _TIMED_OUT):
        return StoreTimeoutError(
            f"Milvus at {uri} did not finish to {action} in time",
            given=uri,
            hint="try again, or raise store.timeout_s",
        )
    if isinstance(error, ValueError) and "closed channel" in reason:
        return StoreError(f"the store at {uri} is closed", given=uri, hint="open it again")
    if damaged:
        return StoreDamagedError(
            f"the store at {uri} cannot be opened: {_shortened(reason)}",
            given=uri,
            hint="nothing was changed; restore the folder from a backup, "
            "or ingest again under another store.uri",
        )
    return StoreError(f"Milvus at {uri} failed to {action}: {_shortened(reason)}", given=uri)


def _unreachable(uri: str) -> StoreUnreachableError:
    return StoreUnreachableError(
        f"no Milvus server answers at {uri}",
        given=uri,
        allowed="the http(s):// URI of a running Milvus server, or a path ending in .db",
        hint="start the server, or check store.uri (RAG_STORE__URI)",
    )


def _reason(error: Exception) -> str:
    if isinstance(error, MilvusException):
        code = error.code if isinstance(error.code, grpc.StatusCode) else ""
        return f"{error.message} {code}".strip()
    if isinstance(error, grpc.Call):
        return f"{error.code()} {error.details() or ''}"
    return str(error) or type(error).__name__


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_MESSAGE_CHARS else line[: MAX_MESSAGE_CHARS - 1] + "…"


class _MappedElsewhere(logging.Filter):
    """Drops what pymilvus logs of an error that it also raises: the typed error says it."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno != logging.ERROR


def tame_logging() -> None:
    """Send the warnings of pymilvus and Milvus Lite through our log, one line each."""
    for name in ("pymilvus", "milvus_lite"):
        adopt_logger(name)
    for name in ("pymilvus.decorators", "milvus_lite.adapter.grpc.servicer"):
        logger = logging.getLogger(name)
        if not any(isinstance(one, _MappedElsewhere) for one in logger.filters):
            logger.addFilter(_MappedElsewhere())
