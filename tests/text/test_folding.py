"""The folding, and the way back from folded text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.text import clean_text
from rag.text.normalise import fold, fold_with_offsets

TEXTS = st.text(
    st.sampled_from("ab é\u0301\u0323ﬁ½İ\u200b\u00ad한ᄒ\u1161\u11abｶﾞ…，’中\ufe0f"), max_size=40
) | st.text(max_size=40)


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_folding_with_offsets_gives_the_same_text(text: str) -> None:
    assert fold_with_offsets(text).text == fold(text)


@given(st.text(st.sampled_from("ab é\u0301ﬁ½İß한…，’中Ａ①øй"), max_size=40))
@settings(max_examples=100, deadline=None)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_offsets_rise_and_stay_inside_the_text(text: str) -> None:
    folded = fold_with_offsets(text)
    spans = [folded.span(index, index + 1) for index in range(len(folded.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@given(st.text(st.characters() | st.sampled_from("\x00\ud800\udfff"), max_size=40))
@settings(max_examples=100, deadline=None)
def test_clean_text_keeps_the_length_and_can_be_encoded(text: str) -> None:
    cleaned = clean_text(text)
    assert len(cleaned) == len(text)
    assert "\x00" not in cleaned
    assert cleaned.encode().decode() == cleaned


def test_clean_text_leaves_ordinary_text_alone() -> None:
    assert clean_text("emoji 😀 and 한글") == "emoji 😀 and 한글"
    assert clean_text("a\x00b\ud800c") == "a\ufffdb\ufffdc"
