from __future__ import annotations

import logging
import math
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import numpy as np
import pytest
import stamina

from rag.embedding.embeddings_endpoint import _retry_after_s
from rag.embedding.openai_embedder import OpenAIEmbedder
from rag.errors import (
    ConfigError,
    EmbedderUnavailableError,
    EmbeddingDimensionError,
    EmbeddingError,
    InvalidVectorError,
)
from tests.embedding.embeddings_server import (
    Answer,
    EmbeddingsServer,
    Reply,
    embeddings,
    vector_of,
)

KEY = "sk-secret-123"
KEY_VARIABLE = "RAG_TEST_KEY"


def unit(text: str) -> list[float]:
    row = vector_of(text)
    return [value / math.hypot(*row) for value in row]


def failing(status: int, message: str = "", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda texts: Reply({"error": {"message": message}}, status, named)


def saying(body: object) -> Answer:
    return lambda texts: Reply(body)


@pytest.fixture
def embedder(server: EmbeddingsServer) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        base_url=server.base_url,
        model="tiny",
        dimensions=4,
        batch_size=2,
        api_key_env=KEY_VARIABLE,
        workers=1,
    )


def reversed_answer(texts: list[str]) -> Reply:
    reply = embeddings(texts)
    reply.body["data"].reverse()
    return reply


@pytest.mark.scenario("embedding", "Order is restored")
def test_vectors_are_put_into_the_order_of_the_texts(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    server.default = reversed_answer
    texts = ["one", "two", "three", "four", "five"]
    rows = embedder.embed_documents(texts)
    for row, text in zip(rows, texts, strict=True):
        assert row.tolist() == pytest.approx(unit(text))
    assert [request["body"]["input"] for request in server.requests] == [
        ["one", "two"],
        ["three", "four"],
        ["five"],
    ]
    assert {request["path"] for request in server.requests} == {"/v1/embeddings"}
    assert {request["body"]["model"] for request in server.requests} == {"tiny"}


def test_several_requests_at_once_keep_the_order(server: EmbeddingsServer) -> None:
    embedder = OpenAIEmbedder(base_url=server.base_url + "/", model="tiny", batch_size=1)
    texts = [f"text {i}" for i in range(40)]
    rows = embedder.embed_documents(texts)
    assert rows == pytest.approx(np.array([unit(text) for text in texts]), abs=1e-6)


def test_an_answer_without_indexes_is_in_order(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    server.default = lambda texts: Reply({"data": [{"embedding": vector_of(t)} for t in texts]})
    assert embedder.embed_documents(["one", "two"])[1].tolist() == pytest.approx(unit("two"))


@pytest.mark.scenario("embedding", "A vector is missing")
@pytest.mark.parametrize(
    "data",
    [
        [{"index": 0, "embedding": [1, 2, 3, 4]}],
        [{"index": i, "embedding": [1, 2, 3, 4]} for i in range(3)],
        [{"index": 0, "embedding": [1, 2, 3, 4]}, {"index": 0, "embedding": [1, 2, 3, 4]}],
        [{"index": 0, "embedding": [1, 2, 3, 4]}, {"index": 2, "embedding": [1, 2, 3, 4]}],
        [{"index": 0, "embedding": [1, 2, 3, 4]}, {"embedding": [1, 2, 3, 4]}],
        [{"index": [0], "embedding": [1, 2, 3, 4]}, {"index": "1", "embedding": [1, 2, 3, 4]}],
        [{"index": 0}, {"index": 1}],
        ["a", "b"],
        None,
        [{"index": 0, "embedding": "AACAPw=="}, {"index": 1, "embedding": "AACAPw=="}],
    ],
)
def test_an_answer_that_leaves_a_text_open_is_refused(
    server: EmbeddingsServer, embedder: OpenAIEmbedder, data: object
) -> None:
    server.default = saying({"data": data})
    with pytest.raises(EmbedderUnavailableError, match=server.base_url):
        embedder.embed_documents(["one", "two"])


def test_an_answer_that_is_no_json_object_is_refused(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    bodies: list[object] = ["<html>", [], 7]
    for body in bodies:
        server.default = saying(body)
        with pytest.raises(EmbedderUnavailableError, match="no embeddings"):
            embedder.embed_query("one")


def test_vectors_of_another_length_or_without_a_direction_are_refused(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    server.default = saying({"data": [{"index": 0, "embedding": [1, 2, 3]}]})
    with pytest.raises(EmbeddingDimensionError, match=r"3.*4"):
        embedder.embed_query("one")
    for row in ([0, 0, 0, 0], [float("nan"), 1, 1, 1], [None, 1, 1, 1]):
        server.default = saying({"data": [{"index": 0, "embedding": row}]})
        with pytest.raises(InvalidVectorError):
            embedder.embed_query("one")


def test_the_length_is_learned_by_one_request(server: EmbeddingsServer) -> None:
    embedder = OpenAIEmbedder(base_url=server.base_url, model="tiny")
    assert str(embedder.identity) == "tiny@api (4 dimensions)"
    assert embedder.identity.dimensions == 4
    assert len(server.requests) == 1


def test_a_document_prefix_is_sent_and_part_of_the_identity(server: EmbeddingsServer) -> None:
    plain = OpenAIEmbedder(base_url=server.base_url, model="tiny", dimensions=4)
    embedder = OpenAIEmbedder(
        base_url=server.base_url,
        model="tiny",
        dimensions=4,
        document_prefix="passage: ",
        query_prefix="query: ",
    )
    embedder.embed_documents(["one"])
    embedder.embed_query("two")
    assert [r["body"]["input"] for r in server.requests] == [["passage: one"], ["query: two"]]
    assert plain.identity.revision == "api"
    assert embedder.identity.revision.startswith("api-")


@pytest.mark.scenario("embedding", "Busy at first")
def test_a_server_that_fails_for_the_moment_is_asked_again(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    server.answers = [failing(429, retry_after="2"), failing(503)]
    assert embedder.embed_documents(["one"])[0].tolist() == pytest.approx(unit("one"))
    assert len(server.requests) == 3


def test_a_server_that_stays_busy_is_asked_six_times_for_documents_and_twice_for_a_query(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    server.default = failing(503, "model is loading")
    with pytest.raises(EmbedderUnavailableError, match=r"status 503.*model is loading"):
        embedder.embed_documents(["one"])
    assert len(server.requests) == 6
    with pytest.raises(EmbedderUnavailableError):
        embedder.embed_query("one")
    assert len(server.requests) == 6 + 2


@pytest.mark.scenario("embedding", "Busy for too long")
def test_a_server_that_asks_for_an_hour_is_not_waited_for(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    server.default = failing(429, retry_after="3600")
    with pytest.raises(EmbedderUnavailableError, match="429"):
        embedder.embed_documents(["one"])
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("", None), ("soon", None)],
)
def test_retry_after_may_be_seconds(value: str, expected: float | None) -> None:
    response = httpx2.Response(429, headers={"retry-after": value})
    assert _retry_after_s(response) == expected


def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert _retry_after_s(httpx2.Response(429, headers={"retry-after": date})) == pytest.approx(
        100, abs=5
    )
    past = httpx2.Response(429, headers={"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})
    assert _retry_after_s(past) == 0.0


@pytest.mark.scenario("embedding", "No server")
def test_no_server_at_the_address_is_said_with_the_address() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: every connection is refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        embedder = OpenAIEmbedder(base_url=url, model="tiny", dimensions=4)
        with (
            stamina.set_testing(True, attempts=100, cap=True),
            pytest.raises(EmbedderUnavailableError, match=url) as caught,
        ):
            embedder.embed_query("one")
    assert caught.value.given == f"{url}/embeddings"
    assert caught.value.__cause__ is None


def test_a_server_that_never_answers_is_left_after_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and says nothing
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        embedder = OpenAIEmbedder(base_url=url, model="tiny", dimensions=4, timeout_s=0.05)
        with pytest.raises(EmbedderUnavailableError, match=r"within 0\.05 seconds"):
            embedder.embed_query("one")


@pytest.mark.scenario("embedding", "The request itself is refused")
def test_a_refused_request_is_not_repeated(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    server.default = failing(400, "input too long")
    with pytest.raises(EmbeddingError, match=r"status 400.*input too long") as caught:
        embedder.embed_documents(["one"])
    assert caught.value.code == "embedding_failed"
    assert len(server.requests) == 1


def test_an_unknown_model_is_named(server: EmbeddingsServer, embedder: OpenAIEmbedder) -> None:
    server.default = failing(404, "model not found")
    with pytest.raises(EmbedderUnavailableError, match=r"404.*model not found") as caught:
        embedder.embed_query("one")
    assert "'tiny'" in str(caught.value.hint)
    assert len(server.requests) == 1


def test_a_redirect_is_not_followed_with_the_key(
    server: EmbeddingsServer, embedder: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    server.default = failing(302, location="http://127.0.0.1:9/elsewhere")
    with pytest.raises(EmbeddingError, match="302"):
        embedder.embed_query("one")
    assert len(server.requests) == 1


@pytest.mark.scenario("embedding", "A server that repeats the key")
@pytest.mark.parametrize("status", [500, 400, 401, 403, 404, 429])
def test_the_key_is_in_no_error_and_no_log_line(
    server: EmbeddingsServer,
    embedder: OpenAIEmbedder,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    caplog.set_level(logging.DEBUG)
    server.default = failing(status, f"you sent {KEY}")
    with pytest.raises(EmbeddingError) as caught:
        embedder.embed_documents(["one"])
    assert server.requests[0]["headers"]["Authorization"] == f"Bearer {KEY}"
    shown = [str(caught.value), repr(caught.value.to_wire()), caplog.text, *capfd.readouterr()]
    assert not any(KEY in text for text in shown)


def test_retries_print_nothing_on_standard_output(
    server: EmbeddingsServer, embedder: OpenAIEmbedder, capfd: pytest.CaptureFixture[str]
) -> None:
    server.answers = [failing(503)]
    embedder.embed_query("one")
    assert capfd.readouterr().out == ""


@pytest.mark.scenario("embedding", "No key is set")
@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_a_key_none_is_sent_and_the_variable_is_named(
    server: EmbeddingsServer,
    embedder: OpenAIEmbedder,
    value: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if value is None:
        monkeypatch.delenv(KEY_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(KEY_VARIABLE, value)
    server.default = failing(401)
    with pytest.raises(EmbedderUnavailableError, match=rf"\${KEY_VARIABLE} holds none"):
        embedder.embed_query("one")
    assert "Authorization" not in server.requests[0]["headers"]


def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(
    embedder: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bad in (f"{KEY}\nX-Other: 1", f"{KEY}é"):
        monkeypatch.setenv(KEY_VARIABLE, bad)
        with pytest.raises(ConfigError) as caught:
            embedder.embed_query("one")
        assert KEY not in repr(caught.value.to_wire())


@pytest.mark.parametrize(
    "url", ["", "localhost:11434/v1", "ftp://host/v1", "http://", "http://host:x/v1"]
)
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ConfigError, match="no address of a server"):
        OpenAIEmbedder(base_url=url, model="tiny")


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(ConfigError) as caught:
        OpenAIEmbedder(base_url="https://me:hush-hush@host/v1", model="tiny")
    assert "hush-hush" not in repr(caught.value.to_wire())


def test_a_server_on_this_machine_is_reached_past_a_proxy(
    server: EmbeddingsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    embedder = OpenAIEmbedder(base_url=server.base_url, model="tiny", dimensions=4)
    assert embedder.embed_query("one").tolist() == pytest.approx(unit("one"))
