"""Every error of pymilvus and gRPC has one of ours, and its log stays off standard error."""

from __future__ import annotations

import logging

import grpc
import pytest
from pymilvus.exceptions import MilvusException, ParamError

from rag.errors import (
    RagError,
    StoreDamagedError,
    StoreError,
    StoreTimeoutError,
    StoreUnreachableError,
)
from rag.stores.milvus.errors import milvus_errors, tame_logging

URI = "http://milvus:19530"


def raised(error: Exception, **options: bool) -> StoreError:
    with pytest.raises(StoreError) as caught, milvus_errors(URI, "search", **options):
        raise error
    assert caught.value.__cause__ is error
    assert URI in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (MilvusException(2, "Fail connecting to server on milvus:19530"), StoreUnreachableError),
        (
            MilvusException(1, "[search] Retry timeout: 3s, StatusCode.UNAVAILABLE"),
            StoreUnreachableError,
        ),
        (MilvusException(grpc.StatusCode.UNAVAILABLE, "gone"), StoreUnreachableError),
        (MilvusException(1, "Received UNIMPLEMENTED from server."), StoreUnreachableError),
        (MilvusException(1, "StatusCode.DEADLINE_EXCEEDED"), StoreTimeoutError),
        (MilvusException(1, "[query] Retry timeout: 10s"), StoreTimeoutError),
        (grpc.FutureTimeoutError(), StoreTimeoutError),
        (MilvusException(65535, "auth check failure, please check"), StoreError),
        (ParamError(message="bad parameter"), StoreError),
        (ValueError("Cannot invoke RPC on closed channel!"), StoreError),
    ],
)
def test_each_engine_error_becomes_the_one_that_says_what_to_do(error, kind):
    mapped = raised(error)
    assert type(mapped) is kind
    assert mapped.message


def test_refused_credentials_point_to_the_setting():
    assert "store.token" in raised(MilvusException(65535, "auth check failure")).hint


def test_while_opening_a_folder_an_odd_answer_means_damage():
    mapped = raised(MilvusException(1, "Expecting value: line 1 column 1"), damaged=True)
    assert type(mapped) is StoreDamagedError
    assert "nothing was changed" in mapped.hint
    timed_out = raised(MilvusException(1, "StatusCode.DEADLINE_EXCEEDED"), damaged=True)
    assert type(timed_out) is StoreTimeoutError


def test_a_long_engine_message_is_cut():
    assert len(raised(MilvusException(1, "x " * 5_000)).message) < 500


def test_our_own_errors_pass_unchanged():
    ours = RagError("said already")
    with pytest.raises(RagError) as caught, milvus_errors(URI, "search"):
        raise ours
    assert caught.value is ours


def test_what_pymilvus_logs_of_a_raised_error_is_dropped_and_warnings_are_one_line(caplog):
    tame_logging()
    logging.getLogger("pymilvus.decorators").error("RPC error\nTraceback:\n  File x")
    logging.getLogger("pymilvus.decorators").warning("slow\nTraceback:\n  File x")
    lines = [record.getMessage() for record in caplog.records]
    assert lines == ["slow"]
