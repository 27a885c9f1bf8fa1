"""A page of hits within a token budget."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.base.page_budget import SHORTEST_SNIPPET, FittedPage, checked_max_tokens, fit_page
from rag.errors import InvalidArgumentError
from rag.text import EstimatingTokenCounter, TokenCounter
from rag.wire import to_json
from rag.wire.search_response import ResultHit
from tests.wire.sample_hits import hit

TEXT = "Six-hourly backups are kept for 14 days. 备份保留十四天。 백업은 14일 🗄️ 보관. " * 40


class WordCounter:
    """Counts words; joining two texts may merge the words at the joint."""

    name = "words"

    def count(self, text: str, /) -> int:
        return len(text.split())

    def prefix(self, text: str, max_tokens: int, /) -> int:
        return len(" ".join(text.split()[:max_tokens]))


def page(count: int, chars: int) -> tuple[ResultHit, ...]:
    return tuple(hit(rank, TEXT[:chars]) for rank in range(1, count + 1))


def fitted(count: int, chars: int, budget: int, counter: TokenCounter) -> FittedPage:
    return fit_page(
        page(count, chars),
        lambda shorter: page(count, shorter),
        snippet_chars=chars,
        max_tokens=budget,
        counter=counter,
    )


def emitted(fit: FittedPage) -> str:
    return ",".join(map(to_json, fit.hits))


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(0, 12),
    chars=st.integers(20, 2_000),
    budget=st.integers(0, 8_000),
    words=st.booleans(),
)
def test_the_budget_is_a_bound_and_the_hits_are_the_first(
    count: int, chars: int, budget: int, words: bool
):
    counter = WordCounter() if words else EstimatingTokenCounter()
    fit = fitted(count, chars, budget, counter)
    assert counter.count(emitted(fit)) == fit.tokens <= budget
    assert [one.rank for one in fit.hits] == list(range(1, len(fit.hits) + 1))
    whole = page(count, chars)
    assert fit.truncated == (fit.hits != whole)


def test_snippets_get_shorter_before_a_hit_goes():
    counter = EstimatingTokenCounter()
    whole = counter.count(",".join(map(to_json, page(5, 1_000))))
    shortest = counter.count(",".join(map(to_json, page(5, SHORTEST_SNIPPET))))
    fit = fitted(5, 1_000, whole - 1, counter)
    assert len(fit.hits) == 5
    assert fit.hits == page(5, 500)
    fit = fitted(5, 1_000, shortest, counter)
    assert fit.hits == page(5, SHORTEST_SNIPPET)
    fit = fitted(5, 1_000, shortest - 1, counter)
    assert fit.hits == page(4, SHORTEST_SNIPPET)


def test_a_snippet_shorter_than_the_shortest_stays_as_it_is():
    counter = EstimatingTokenCounter()
    one = counter.count(to_json(page(1, 30)[0]))
    assert fitted(3, 30, one, counter).hits == page(1, 30)


def test_a_budget_of_nothing_holds_nothing():
    assert fitted(3, 100, 0, EstimatingTokenCounter()) == FittedPage(
        hits=(), tokens=0, truncated=True
    )
    assert fitted(0, 100, 0, EstimatingTokenCounter()).truncated is False


@pytest.mark.parametrize("value", [-1, 1_000_001, True, "9", 1.0, None])
def test_what_is_no_budget_is_refused(value: object):
    with pytest.raises(InvalidArgumentError, match="max_tokens must be a whole number from 0"):
        checked_max_tokens(value)
