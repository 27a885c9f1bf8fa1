"""Filters as Milvus expressions: quoted for Milvus Lite, beside the text for servers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from milvus_lite.search.filter import parse_expr

from rag.stores.filters import parse_filter
from rag.stores.milvus.filter_compiler import (
    Expression,
    ExpressionBuilder,
    first_after_prefix,
    literal,
)
from rag.stores.milvus.rows import instant_us, microseconds, tag_key

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def compiled(templates: bool, **keys) -> Expression:
    return ExpressionBuilder(templates=templates).filter(parse_filter(keys), None).build()


@settings(max_examples=100, deadline=None)
@given(TEXT)
def test_a_literal_is_read_back_unchanged_by_milvus_lites_own_parser(value: str):
    assert parse_expr(f"source == {literal(value)}").right.value == value


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXT, min_size=2, max_size=4, unique=True))
def test_no_value_adds_a_condition(values: list[str]):
    (expression,) = [compiled(False, source=values)]
    tree = parse_expr(expression.text)
    assert [element.value for element in tree.values.elements] == values


@settings(max_examples=100, deadline=None)
@given(TEXT.filter(bool), TEXT)
def test_the_bound_of_a_prefix_is_above_all_that_start_with_it_and_nothing_else(
    prefix: str, other: str
):
    end = first_after_prefix(prefix)
    for text in (other, prefix + other, other + prefix):
        inside = text >= prefix and (end is None or text < end)
        assert inside == text.startswith(prefix)
        encoded = text.encode() >= prefix.encode() and (end is None or text.encode() < end.encode())
        assert encoded == inside


def test_the_bound_of_a_prefix_passes_over_surrogates_and_carries():
    assert first_after_prefix("a\ud7ff") == "a\ue000"
    assert first_after_prefix("a\U0010ffff") == "b"
    assert first_after_prefix("\U0010ffff") is None


def test_a_server_gets_every_value_beside_the_expression():
    expression = compiled(
        True, source=['") or true or ("', "b"], tags="x", path_prefix="my_docs/", tenant="a"
    )
    assert expression.text == (
        "tenant == {p0} and source in {p1} and array_contains_any(tags, {p2}) "
        "and uri >= {p3} and uri < {p4}"
    )
    assert expression.params == {
        "p0": "a",
        "p1": ['") or true or ("', "b"],
        "p2": ["x"],
        "p3": "my_docs/",
        "p4": "my_docs0",
    }
    assert expression.arguments()["filter_params"] == expression.params


def test_milvus_lite_gets_tags_as_keys_without_wildcards():
    expression = compiled(False, tags=["%", "_"])
    assert expression.text == (
        f'(tag_keys like "%|{tag_key("%")}|%" or tag_keys like "%|{tag_key("_")}|%")'
    )
    assert expression.params == {}
    assert all(char in "0123456789abcdef" for char in tag_key("%") + tag_key("_"))


def test_what_can_never_pass_is_not_asked():
    assert compiled(False, source="\ud800").impossible
    assert compiled(True, tags="\udfff").impossible
    nothing = ExpressionBuilder(templates=False).filter(parse_filter({}), [])
    assert nothing.build().impossible


def test_no_filter_is_no_expression():
    assert compiled(False) == compiled(True) == Expression()


@pytest.mark.parametrize(
    ("text", "microsecond"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:00", 0),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("2026-03-01T12:00:00.000001+00:00", 1_772_366_400_000_001),
    ],
)
def test_times_become_whole_microseconds(text: str, microsecond: int):
    assert instant_us(text) == microsecond


@settings(max_examples=100, deadline=None)
@given(st.datetimes(), st.datetimes())
def test_times_keep_their_order(one: datetime, other: datetime):
    first, second = one.replace(tzinfo=UTC), other.replace(tzinfo=UTC)
    assert (first < second) == (microseconds(first) < microseconds(second))
