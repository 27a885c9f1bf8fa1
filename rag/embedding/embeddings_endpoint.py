"""One ``/v1/embeddings`` address: requests, retries, and answers made sure of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import stamina
import stamina.instrumentation
import structlog

from rag.errors import ConfigError, EmbedderUnavailableError, EmbeddingError
from rag.platform.logs import get_logger
from rag.settings.server_address import address_fault

log = get_logger(__name__)

CONNECT_TIMEOUT_S = 5.0  # a server that takes longer to say hello is not there
FIRST_WAIT_S = 0.2
REFUSED_KEY = frozenset({401, 403})
# Busy or failing for the moment: request timeout, too early, too many requests, server errors.
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
# What a server that restarts looks like; a read timeout is none of these, it waited long already.
CONNECTION_ERRORS = (httpx2.NetworkError, httpx2.ConnectTimeout, httpx2.RemoteProtocolError)
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
SHOWN_CHARS = 300  # of a server's own error message


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often a request is tried, and the longest pause between two tries, in seconds."""

    attempts: int
    longest_wait_s: float


class _PassingError(Exception):
    """The server answered that it cannot now; ``retry_after_s`` is its own wish, if any."""

    def __init__(self, status: int, said: str, retry_after_s: float | None) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.said = said
        self.retry_after_s = retry_after_s


class EmbeddingsEndpoint:
    """Sends texts, returns vectors; safe to call from several threads.

    The key is read from the environment at each request and appears in no log and no error.

    Raises:
        ConfigError: ``base_url`` is no http(s) URL, or holds a user name or password.
    """

    def __init__(self, *, base_url: str, model: str, api_key_env: str, timeout_s: float) -> None:
        self._url = _endpoint_url(base_url)
        self._model = model
        self._api_key_env = api_key_env
        self._timeout_s = timeout_s
        self._client = httpx2.Client(
            timeout=httpx2.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s)),
            # a proxy from the environment cannot reach a server on this machine
            trust_env=httpx2.URL(self._url).host not in LOOPBACK,
        )
        _keep_retries_off_standard_output()

    def embed(self, texts: Sequence[str], /, *, patience: Patience) -> list[list[float]]:
        """Return one raw vector per text, in order.

        Raises:
            EmbedderUnavailableError: no usable answer from the server; the message has the URL.
            EmbeddingError: the server refused these texts.
            ConfigError: the key holds characters that cannot be sent.
        """
        retrying = stamina.retry_context(
            on=lambda error: _wait_before_retry(error, patience),
            attempts=patience.attempts,
            timeout=None,
            wait_initial=FIRST_WAIT_S,
            wait_max=patience.longest_wait_s,
            wait_jitter=FIRST_WAIT_S,
        )
        try:
            for attempt in retrying:
                with attempt:
                    return self._ask(texts)
        except _PassingError as failure:
            raise self._unavailable(
                f"answers with status {failure.status}{failure.said}", given=failure.status
            ) from None
        except httpx2.ReadTimeout:
            raise self._unavailable(f"did not answer within {self._timeout_s:g} seconds") from None
        except httpx2.HTTPError as error:
            raise self._unavailable(
                f"cannot be reached: {_without_key(_reason(error), self._key())}"
            ) from None
        raise AssertionError("a retry context returns or raises")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        key = self._key()
        response = self._client.post(
            self._url,
            json={"model": self._model, "input": list(texts)},
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )
        status = response.status_code
        if status in REFUSED_KEY:  # its message may quote the key, so it is not shown
            raise self._unavailable(
                f"refused the key in ${self._api_key_env}"
                if key
                else f"asks for a key, and ${self._api_key_env} holds none",
                given=status,
                hint=f"set the environment variable {self._api_key_env}, or embedding.api_key_env",
            )
        said = "" if response.is_success else _said(response, key)
        if status in PASSING:
            raise _PassingError(status, said, _retry_after_s(response))
        if status == httpx2.codes.NOT_FOUND:
            raise self._unavailable(
                f"answers with status 404{said}",
                given=status,
                hint=f"check that the server has the model {self._model!r} "
                "and that embedding.base_url ends in /v1",
            )
        if not response.is_success:
            raise EmbeddingError(
                f"{self._url} refused a request of {len(texts)} texts with status {status}{said}",
                given=status,
                hint="lower embedding.batch_size or chunking.max_tokens if it speaks of length",
            )
        return self._rows(response, len(texts))

    def _rows(self, response: httpx2.Response, count: int) -> list[list[float]]:
        """Return the vectors in the order of the texts, or refuse an answer that leaves it open."""
        try:
            items: list[dict[str, Any]] = response.json()["data"]
            rows = [item["embedding"] for item in items]
            places = [item.get("index") for item in items]
        except (ValueError, LookupError, TypeError, AttributeError):
            raise self._unavailable("gave an answer that holds no embeddings") from None
        if len(rows) != count:
            raise self._unavailable(f"gave {len(rows)} vectors for {count} texts", given=len(rows))
        if not all(isinstance(row, list) for row in rows):
            raise self._unavailable("gave embeddings that are no lists of numbers")
        if all(place is None for place in places):
            return rows
        if not all(isinstance(place, int) for place in places):
            raise self._unavailable("gave vectors that do not say for which text they are")
        by_place = dict(zip(places, rows, strict=True))
        if set(by_place) != set(range(count)):
            raise self._unavailable(f"gave vectors for the texts {places}", given=places)
        return [by_place[place] for place in range(count)]

    def _key(self) -> str:
        key = os.environ.get(self._api_key_env, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ConfigError(
                f"the key in ${self._api_key_env} holds characters that a header cannot carry",
                allowed="printable ASCII",
                hint="look for line breaks and typographic characters in it",
            )
        return key

    def _unavailable(
        self, what: str, *, given: object = None, hint: str | None = None
    ) -> EmbedderUnavailableError:
        return EmbedderUnavailableError(
            f"the embedding server at {self._url} {what}",
            given=self._url if given is None else given,
            allowed="a server that answers as OpenAI's /v1/embeddings",
            hint=hint or "start it, or correct embedding.base_url; 'none' searches by words alone",
        )


def _endpoint_url(base_url: str) -> str:
    try:
        url = httpx2.URL(base_url.strip())
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    fault = address_fault(base_url.strip())
    if url.userinfo:
        raise ConfigError(
            "embedding.base_url holds a user name or password",
            given=f"{url.scheme}://…@{url.host}",
            allowed="a URL without them",
            hint="put a key into the environment variable named by embedding.api_key_env",
        )
    if url.scheme not in ("http", "https") or not url.host or fault:
        raise ConfigError(
            f"embedding.base_url {base_url!r} is no address of a server",
            given=base_url,
            allowed="http://host:port/v1 or https://host/v1",
            hint="for Ollama: http://localhost:11434/v1",
        )
    return str(url.copy_with(path=url.path.rstrip("/") + "/embeddings", query=None, fragment=None))


def _wait_before_retry(error: Exception, patience: Patience) -> bool | float:
    """Return whether to try again, or after how many seconds where the server said so."""
    if isinstance(error, _PassingError):
        wait = error.retry_after_s
        if wait is not None and wait > patience.longest_wait_s:
            return False
        log.info("embedding server busy", status=error.status, retry_after_s=wait)
        return True if wait is None else wait
    return isinstance(error, CONNECTION_ERRORS)


def _retry_after_s(response: httpx2.Response) -> float | None:
    """Return the ``Retry-After`` header in seconds; it may be a number or a date."""
    value = response.headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _said(response: httpx2.Response, key: str) -> str:
    """Return the server's own words behind a colon, on one line, without the key."""
    words = _without_key(" ".join(response.text.split()), key)[:SHOWN_CHARS]
    return f": {words}" if words else ""


def _reason(error: httpx2.HTTPError) -> str:
    """Return what a connection error says, or its name, since some say nothing."""
    return str(error) or type(error).__name__


def _without_key(text: str, key: str) -> str:
    return text.replace(key, "…") if key else text


def _keep_retries_off_standard_output() -> None:
    """Take stamina's structlog hook away while nobody has configured structlog.

    Unconfigured, structlog prints to standard output, where a program's JSON goes.
    """
    if structlog.is_configured():
        return
    of_structlog = stamina.instrumentation.StructlogOnRetryHook.hook_factory.__module__
    hooks = stamina.instrumentation.get_on_retry_hooks()
    kept = tuple(hook for hook in hooks if getattr(hook, "__module__", "") != of_structlog)
    if len(kept) < len(hooks):
        stamina.instrumentation.set_on_retry_hooks(kept)
