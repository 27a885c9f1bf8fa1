"""Whether what a framework's user hands in is a list of what the framework finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from rag.errors import InvalidArgumentError

Item = TypeVar("Item")


def given_items(
    found: Iterable[Item], fits: Callable[[object], bool], allowed: str
) -> tuple[Item, ...]:
    """Return the items of a list, each of which ``fits``; ``allowed`` says what they may be.

    Raises:
        InvalidArgumentError: it is no list, or an item is something else.
    """
    hint = "hand on what the retriever returned, best first"
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise InvalidArgumentError(
            f"hits must be {allowed}; got {type(found).__name__}",
            given=found,
            allowed=allowed,
            hint=hint,
        )
    items = tuple(found)
    for place, item in enumerate(items, 1):
        if not fits(item):
            raise InvalidArgumentError(
                f"hit {place} is a {type(item).__name__}; hits must be {allowed}",
                given=item,
                allowed=allowed,
                hint=hint,
            )
    return items
