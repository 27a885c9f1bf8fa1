"""Keeps a result below what clients accept."""

from __future__ import annotations

import json

from rag.errors import InvalidArgumentError
from rag.surfaces.mcp_server.tool import Answer
from rag.text import EstimatingTokenCounter

MAX_RESULT_TOKENS = 20_000  # clients refuse or cut tool results from 25,000 tokens up
# Whole results have three bytes and more to a token, in every language; counting them costs more
# than a look-up, so only those that may really be too large are counted.
LEAST_BYTES_PER_TOKEN = 2
_COUNTER = EstimatingTokenCounter()  # on the high side, so that no client counts more


def check_size(answer: Answer, *, limit: int, smaller: str) -> None:
    """Refuse an answer whose text and object together take more than ``limit`` tokens.

    A result that a client would cut is worse than none: what was cut cannot be told from what
    was never found. A limit of 0 lets everything pass.

    Raises:
        InvalidArgumentError: it takes more; the hint says how to ask for less.
    """
    compact = json.dumps(answer.structured, ensure_ascii=False, separators=(",", ":"))  # as sent
    parts = (answer.text, compact)
    if not limit or sum(len(part.encode()) for part in parts) <= limit * LEAST_BYTES_PER_TOKEN:
        return
    tokens = sum(map(_COUNTER.count, parts))
    if tokens > limit:
        raise InvalidArgumentError(
            f"this result would take about {tokens:,} tokens, and {limit:,} are the most that "
            "this server returns",
            given=tokens,
            allowed=f"a result of at most {limit:,} tokens",
            hint=smaller,
        )
