"""Opaque marks that continue one search."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import InvalidCursorError, RagError, StaleCursorError
from rag.ranking import Channel, SearchMode
from rag.retrieval.cursor import Cursor, CursorScope, decode_cursor, encode_cursor
from rag.stores.filters import SearchFilter, parse_filter

SCOPE = CursorScope(
    query="how", mode=SearchMode.HYBRID, filters=SearchFilter(tags=("a",)), ranking="k=60"
)
CURSOR = Cursor(offset=10, revision="r1", channels="lexical+vector")
TEXT = encode_cursor(SCOPE, CURSOR)


def packed(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def fields() -> dict[str, object]:
    unpacked: dict[str, object] = json.loads(
        base64.urlsafe_b64decode(TEXT + "=" * (-len(TEXT) % 4))
    )
    return unpacked


def test_a_cursor_comes_back_as_it_went():
    assert decode_cursor(TEXT, SCOPE) == CURSOR
    assert decode_cursor(packed(fields()), SCOPE) == CURSOR


def test_a_cursor_holds_nothing_of_the_query_in_clear():
    assert "how" not in json.dumps(fields())
    assert TEXT.replace("-", "").replace("_", "").isalnum()


@pytest.mark.scenario("retrieval", "Cursor of another search")
@pytest.mark.parametrize(
    ("other", "named"),
    [
        (replace(SCOPE, query="why"), "query"),
        (replace(SCOPE, mode=SearchMode.LEXICAL), "mode"),
        (replace(SCOPE, filters=SearchFilter(tags=("b",))), "filter"),
        (replace(SCOPE, filters=SearchFilter()), "filter"),
    ],
)
def test_a_cursor_of_another_search_is_refused_and_says_what_differs(
    other: CursorScope, named: str
):
    with pytest.raises(InvalidCursorError, match=f"another {named}") as caught:
        decode_cursor(TEXT, other)
    assert caught.value.code == "invalid_cursor"


def test_equal_filters_written_differently_are_one_search():
    times = ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"]
    one, other = (replace(SCOPE, filters=parse_filter({"indexed_after": t})) for t in times)
    assert decode_cursor(encode_cursor(one, CURSOR), other) == CURSOR


def test_other_settings_make_a_cursor_stale():
    with pytest.raises(StaleCursorError, match="settings"):
        decode_cursor(TEXT, replace(SCOPE, ranking="k=10"))


@pytest.mark.scenario("retrieval", "Malformed cursor")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "a",
        "@@@@",
        TEXT + "=",
        TEXT + "\n",
        " " + TEXT,
        TEXT[:-3],
        TEXT[1:],
        "x" * 1_001,
        base64.urlsafe_b64encode(b"no json").decode().rstrip("="),
        base64.urlsafe_b64encode(b"\xff\xfe").decode().rstrip("="),
        packed("[" * 700)[:999],
        base64.urlsafe_b64encode(b"[" * 740).decode().rstrip("="),
        packed([]),
        packed(None),
        packed({}),
        packed({**fields(), "v": 2}),
        packed({**fields(), "o": 0}),
        packed({**fields(), "o": -10}),
        packed({**fields(), "o": True}),
        packed({**fields(), "o": 2.5}),
        packed({**fields(), "o": 10**30}),
        packed({**fields(), "o": "10"}),
        packed({**fields(), "r": None}),
        packed({**fields(), "c": 3}),
    ],
)
def test_what_is_no_cursor_of_ours_is_refused(text: str):
    with pytest.raises(InvalidCursorError) as caught:
        decode_cursor(text, SCOPE)
    assert caught.value.hint


@pytest.mark.parametrize("text", [None, 7, b"abc"])
def test_a_cursor_is_a_string(text: object):
    with pytest.raises(InvalidCursorError):
        decode_cursor(text, SCOPE)  # type: ignore[arg-type]  # the point of the test


def test_a_cursor_is_held_against_revision_and_channels():
    CURSOR.check(revision="r1", answered=[Channel.VECTOR, Channel.LEXICAL])
    with pytest.raises(StaleCursorError, match="index changed"):
        CURSOR.check(revision="r2", answered=list(Channel))
    with pytest.raises(StaleCursorError, match="now no channel answered"):
        CURSOR.check(revision="r1", answered=[])


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=60)
    | st.binary(max_size=60).map(lambda b: base64.urlsafe_b64encode(b).decode())
)
def test_any_text_is_decoded_or_refused_with_an_error_of_ours(text: str):
    with pytest.raises(RagError):
        decode_cursor(text, SCOPE)


@settings(max_examples=50, deadline=None)
@given(query=st.text(max_size=20), revision=st.text(max_size=20), offset=st.integers(1, 10**6))
def test_any_query_and_revision_survive_the_round_trip(query: str, revision: str, offset: int):
    scope, cursor = replace(SCOPE, query=query), replace(CURSOR, revision=revision, offset=offset)
    assert decode_cursor(encode_cursor(scope, cursor), scope) == cursor
