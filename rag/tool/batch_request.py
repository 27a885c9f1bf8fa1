"""What may be asked of a batch of look-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag.errors import InvalidArgumentError
from rag.tool.lookup_request import LookupRequest, parse_request

MAX_BATCH = 50  # questions; a larger batch leaves no useful share of a budget to each


def checked_batch(
    queries: Sequence[LookupRequest | str | Mapping[str, Any]],
) -> Sequence[LookupRequest | str | Mapping[str, Any]]:
    """Return the questions of a batch; InvalidArgumentError where it is no list or too long."""
    allowed = f"a list of 1 to {MAX_BATCH} questions"
    if isinstance(queries, str) or not isinstance(queries, Sequence):
        raise InvalidArgumentError(
            f"a batch must be {allowed}; got {type(queries).__name__}",
            given=queries,
            allowed=allowed,
        )
    if not 1 <= len(queries) <= MAX_BATCH:
        raise InvalidArgumentError(
            f"a batch must be {allowed}; got {len(queries)}", given=len(queries), allowed=allowed
        )
    return queries


def part_of_batch(
    query: LookupRequest | str | Mapping[str, Any], options: Mapping[str, Any]
) -> LookupRequest:
    """Return one question of a batch under the options of all.

    Raises:
        InvalidArgumentError: a field is at fault, or the question has a budget of its own.
    """
    if isinstance(query, str):
        query = {"query": query}
    if isinstance(query, Mapping):
        query = {**options, **query}
    request = parse_request(query)
    if request.budget_tokens is not None:
        raise InvalidArgumentError(
            "a question of a batch has no budget of its own",
            given=request.budget_tokens,
            allowed="budget_tokens of the whole batch",
        )
    return request
