"""What is no list of a framework's hits is told as that, before any attribute is looked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag.errors import InvalidArgumentError
from rag.integrations.haystack import EvidenceJudge
from rag.integrations.haystack import foreign_hits as of_haystack
from rag.integrations.langchain import foreign_hits as of_langchain
from rag.integrations.llama_index import foreign_hits as of_llama_index

VALUES: list[Any] = [
    None, 5, 1.5, b"hits", "hits", {"a": 1}, object(), 10**5_000,
    [None], [5], ["hit"], [[["hit"]]], [(1, 2)], [("a", "b", "c")], [object()],
]  # fmt: skip
TAKERS: dict[str, Callable[[Any], object]] = {
    "langchain": of_langchain,
    "llama_index": of_llama_index,
    "haystack": of_haystack,
    "haystack's judge": lambda hits: EvidenceJudge("rank").run("walrus", hits),
}


@pytest.mark.scenario("framework-adapters", "Something that is no hit")
@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_what_is_no_list_of_hits_is_refused(taker: str, value: Any):
    with pytest.raises(InvalidArgumentError, match="hits must be a list of") as refused:
        TAKERS[taker](value)
    assert refused.value.allowed
    assert refused.value.hint
    refused.value.to_wire()
