"""Long values are cut at borders, and nothing of them is lost."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.stores.milvus.overflow import slices_of_text, slices_of_words

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@settings(max_examples=100, deadline=None)
@given(TEXT, st.integers(4, 40))
def test_pieces_of_a_text_give_it_back_and_are_short(text: str, limit: int):
    pieces = slices_of_text(text, limit)
    assert "".join(pieces) == text
    assert all(len(piece.encode()) <= limit for piece in pieces)
    assert len(pieces) == 1 or all(pieces)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("abü混", min_size=1, max_size=6), max_size=20), st.integers(24, 60))
def test_no_word_is_split_or_lost(words: list[str], limit: int):
    pieces = list(slices_of_words(words, limit))
    assert [word for piece in pieces for word in piece.split()] == words
    assert all(len(piece.encode()) <= limit for piece in pieces)


def test_a_value_that_fits_is_one_piece():
    assert slices_of_text("", 10) == ("",)
    assert slices_of_text("x" * 10, 10) == ("x" * 10,)
    assert slices_of_text("x" * 11, 10) == ("x" * 10, "x")
    assert list(slices_of_words([], 10)) == [""]
