"""Whether an engine's scores have the sign and range that this store turns into ours."""

from __future__ import annotations

import math
from typing import Any, Final

from pymilvus import MilvusClient

from rag.errors import ScoreDirectionError
from rag.stores.milvus.connection import MilvusConnection
from rag.stores.milvus.engine import Engine

TOLERANCE: Final = 1e-3  # a server may compare compressed vectors

# Rows of the ledger that are no probe need values in the probe's fields all the same.
PROBE_FIELDS: Final[dict[str, Any]] = {"probe_words": "", "probe_vector": [0.0, 1.0]}
PROBE_ROWS: Final[list[dict[str, Any]]] = [
    {
        "key": f"probe:{name}",
        "kind": "probe",
        "value": "",
        "value_overflow": [],
        "probe_words": words,
        "probe_vector": vector,
    }
    # "east" says the word searched for twice in three words, "north" once in six
    for name, words, vector in (
        ("east", "alpha alpha beta", [1.0, 0.0]),
        ("north", "alpha gamma gamma delta delta delta", [0.0, 1.0]),
        ("west", "gamma", [-1.0, 0.0]),
    )
]


def probe_scores(connection: MilvusConnection, collection: str, timeout_s: float) -> float:
    """Return the sign that makes the engine's BM25 scores higher for better: 1.0 or -1.0.

    Asks for three fixed vectors and three fixed texts, two searches of a few milliseconds.

    Raises:
        ScoreDirectionError: cosine is not 1, 0 and -1 where it must be, or BM25 does not tell
            the better text from the worse.
    """
    with connection.errors("verify its scores"):
        near = _ask(connection.client, collection, "probe_vector", [1.0, 0.0], timeout_s)
        words = _ask(connection.client, collection, "probe_words_vector", "alpha", timeout_s)
    check_cosines(near, connection.engine)
    return bm25_sign(words, connection.engine)


def _ask(
    client: MilvusClient, collection: str, field: str, query: Any, timeout_s: float
) -> list[tuple[str, float]]:
    found = client.search(
        collection,
        data=[query],
        anns_field=field,
        filter='kind == "probe"',
        limit=len(PROBE_ROWS),
        output_fields=["key"],
        timeout=timeout_s,
        consistency_level="Strong",
    )
    return [
        (str(hit["entity"]["key"]).removeprefix("probe:"), float(hit["distance"]))
        for hit in found[0]
    ]


def check_cosines(found: list[tuple[str, float]], engine: Engine) -> None:
    """Pass where the three fixed vectors have cosines 1, 0 and -1, best first.

    Raises:
        ScoreDirectionError: they have not.
    """
    right = [("east", 1.0), ("north", 0.0), ("west", -1.0)]
    as_it_must_be = [name for name, _ in found] == [name for name, _ in right] and all(
        math.isclose(score, other, abs_tol=TOLERANCE)
        for (_, score), (_, other) in zip(found, right, strict=True)
    )
    if not as_it_must_be:
        raise _wrong("cosine", found, right, engine)


def bm25_sign(found: list[tuple[str, float]], engine: Engine) -> float:
    """Return 1.0 where scores are positive and 1's best is greatest, -1.0 where negated.

    Raises:
        ScoreDirectionError: neither is the case.
    """
    if [name for name, _ in found] == ["east", "north"]:
        better, worse = (score for _, score in found)
        for sign in (1.0, -1.0):
            if sign * better > sign * worse > 0:
                return sign
    raise _wrong("BM25", found, [("east", "more than north"), ("north", "above 0")], engine)


def _wrong(what: str, found: object, right: object, engine: Engine) -> ScoreDirectionError:
    return ScoreDirectionError(
        f"{what} scores of {engine} are not as this program reads them: {found}",
        given=str(found),
        allowed=str(right),
        hint=f"use another version than {engine}; this one's results cannot be trusted",
        details={"engine": engine.name, "version": engine.version},
    )
