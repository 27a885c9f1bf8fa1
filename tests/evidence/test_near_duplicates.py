"""What counts as saying the same, and what only looks like it."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evidence import EvidencePacker, EvidencePostProcessor
from rag.evidence.shared_run import shared_run
from rag.evidence.word_set import is_name, word_set
from rag.evidence.word_signatures import WordSignatures
from rag.settings import EvidenceSettings
from tests.evidence.evidence_samples import WordCounter, chunk, ids, ranked, reasons

PROSE = """\
The northern harbour was dredged in spring so that deeper ships could reach the old quay. \
Engineers drove steel piles along the eastern wall and poured a concrete cap over them. \
While the work went on, fishing boats were moved to a basin behind the lighthouse, where \
fuel and ice were sold from barges. Merchants complained that unloading took twice as long, \
and the council lowered mooring fees until autumn. Divers found part of a wooden hull near \
the slipway, which the museum raised, cleaned and put on show beside the customs house. \
When the first freighter tied up in October, the pilots had already learned the new channel, \
and the tugs that had been hired from the south were sent home again before winter storms. \
A year later the railway siding was relaid, cranes arrived from an inland yard, and grain \
that used to travel by road went straight from silo to hold in a single afternoon.
"""


def process(*chunks, **changes):
    return EvidencePostProcessor(EvidenceSettings(**changes)).process(ranked(chunks))


def windows(overlap: float, size: int = 40) -> list[str]:
    words = PROSE.split()
    stride = round(size * (1 - overlap))
    return [" ".join(words[at * stride :][:size]) for at in range(5)]


@pytest.mark.scenario("evidence", "Five sliding windows and room for three")
@pytest.mark.parametrize("overlap", [0.6, 0.7, 0.8, 0.9])
def test_sliding_windows_leave_room_for_the_answer(overlap: float):
    texts = windows(overlap)
    same = {"doc": "harbour", "heading_path": ("Works",)}
    chunks = [chunk(f"w{at}", text, **same) for at, text in enumerate(texts, start=1)]
    answer = chunk("answer", "The harbour tax is nine per cent.", doc="taxes")
    processed = process(*chunks, answer)
    counter = WordCounter()
    budget = 3 * (40 + 8) + 13  # three windows with headers and fences, and the notice
    packed = EvidencePacker(counter).pack(processed.evidence, budget)
    assert "answer" in ids([item.evidence for item in packed.items])
    near = [one for one in processed.dropped if one.reason == "near_duplicate_of"]
    assert len(near) >= 3
    assert {one.of for one in near} <= set(ids(processed.evidence))


@pytest.mark.scenario("evidence", "Windows that overlap by a third")
@pytest.mark.parametrize("overlap", [0.1, 0.2, 1 / 3])
def test_windows_most_of_whose_text_is_their_own_are_all_kept(overlap: float):
    """Dropping those that overlap by a third loses more answers than it makes room for."""
    same = {"doc": "harbour", "heading_path": ("Works",)}
    chunks = [chunk(f"w{at}", text, **same) for at, text in enumerate(windows(overlap))]
    assert process(*chunks).dropped == ()


def test_a_window_that_its_kept_neighbour_holds_whole_is_a_near_duplicate():
    whole, part = PROSE, " ".join(PROSE.split()[10:40])
    processed = process(chunk("a", whole, doc="d"), chunk("b", part, doc="d"))
    assert reasons(processed.dropped) == {"b": "near_duplicate_of"}


def test_a_longer_chunk_is_not_dropped_for_holding_a_shorter_one():
    part = " ".join(PROSE.split()[10:40])
    assert process(chunk("a", part, doc="d"), chunk("b", PROSE, doc="d")).dropped == ()


@pytest.mark.scenario("evidence", "Nine tenths of the words stand in a better ranked chunk")
def test_nine_tenths_of_the_words_make_a_near_duplicate_and_fewer_do_not():
    words = sorted(word_set(PROSE))[:40]
    near = " ".join([*words[:36], "one", "two", "three", "four"])
    far = " ".join([*words[:35], "one", "two", "three", "four", "five"])
    kept = chunk("kept", " ".join(words))
    processed = process(kept, chunk("near", near), chunk("far", far), near_duplicate=0.9)
    assert reasons(processed.dropped) == {"near": "near_duplicate_of"}
    assert ids(processed.evidence) == ["kept", "far"]


@pytest.mark.scenario("evidence", "Texts that differ in a number")
@pytest.mark.parametrize(
    ("here", "there"),
    [("2.4", "2.5"), ("(2021)", "(2022)"), ("app.get", "app.put"), ("`File`", "`Form`")],
)
def test_texts_that_differ_in_a_number_or_a_name_are_both_kept(here: str, there: str):
    assert process(chunk("a", f"{PROSE} {here}"), chunk("b", f"{PROSE} {there}")).dropped == ()


@pytest.mark.scenario("evidence", "Pages written from one template")
def test_pages_of_one_template_with_other_headings_are_both_kept():
    cookie = chunk("a", f"{PROSE} cookies", heading_path=("Cookie Parameters",))
    header = chunk("b", f"{PROSE} headers", heading_path=("Header Parameters",))
    assert process(cookie, header).dropped == ()
    assert reasons(process(cookie, chunk("c", f"{PROSE} headers")).dropped) == {
        "c": "near_duplicate_of"
    }


def test_short_chunks_whose_words_stand_in_a_long_one_are_kept():
    short = "The harbour was dredged so that ships could reach the quay."
    assert process(chunk("a", PROSE), chunk("b", short)).dropped == ()


def test_chinese_without_spaces_is_compared_by_pairs_of_characters():
    text = (
        "请求体是客户端发送给服务器的数据，响应体是服务器发送给客户端的数据，"
        "两者都可以声明类型并自动校验"
    )
    near = text.replace("自动", "自行")
    other = (
        "路径参数和查询参数由函数的参数名决定，默认值使查询参数成为可选，"
        "路径参数总是必需的并按顺序匹配"
    )
    processed = process(chunk("a", text), chunk("b", near), chunk("c", other))
    assert reasons(processed.dropped) == {"b": "near_duplicate_of"}


@pytest.mark.parametrize(
    ("text", "other", "run"),
    [
        ("abcdefghijklmnopqrstuvwxyz", "ghijklmnopqrstuvwxyz012345", len("ghijklmnopqrstuvwxyz")),
        ("ghijklmnopqrstuvwxyz012345", "abcdefghijklmnopqrstuvwxyz", len("ghijklmnopqrstuvwxyz")),
        ("a run of few letters", "few letters are chance", 0),
        ("short", "a short one", len("short")),
        ("a short one", "short", len("short")),
        ("one two", "three four", 0),
        ("", "anything", 0),
        ("a" * 500 + "b", "a" * 500 + "c", 0),
    ],
)
def test_a_shared_run_is_the_end_of_one_and_the_beginning_of_the_other(text, other, run):
    assert shared_run(text, other) == run


@given(
    texts=st.lists(
        st.text(alphabet="ab é한글\u3000\xa0\u2003中文字、。🎉𠀀\ud800\udc00\x00\n1.", max_size=40),
        max_size=6,
    )
)
@settings(max_examples=100, deadline=None)
def test_signatures_never_claim_that_a_word_is_lacking_which_is_there(texts: list[str]):
    texts.append("never empty")
    signatures = WordSignatures(limit=4)
    signatures.words_lacking(texts[:2] or texts)  # so that some are known
    lacking, counts = signatures.words_lacking(texts)
    sets = [word_set(text) for text in texts]
    for one, own in enumerate(sets):
        assert len(own) <= counts[one]
        for other, there in enumerate(sets):
            assert lacking[one, other] <= len(own - there)


def test_signatures_tell_unrelated_texts_apart():
    words = PROSE.split()
    lacking, _ = WordSignatures().words_lacking([" ".join(words[:60]), " ".join(words[70:])])
    assert lacking[0, 1] > 0.5 * len(set(words[:60]))


def test_signatures_are_remembered_within_a_bound():
    signatures = WordSignatures(limit=3)
    for at in range(10):
        signatures.words_lacking([f"text {at}", f"another {at}"])
        assert len(signatures._known) <= 3
    signatures.words_lacking([f"text {at}" for at in range(10)])
    assert len(signatures._known) == 3


class EveryPair(WordSignatures):
    """Calls every pair a candidate, so that the two rules alone decide."""

    def words_lacking(self, texts):
        return np.zeros((len(texts), len(texts)), np.int64), np.full(len(texts), 10**6)


_VOCABULARY = (
    *PROSE.split(),
    *"请求体是客户端发送给服务器的数据，响应体",
    "v2.1",
    "a/b",
    "é",
    "🎉",
    "\u3000",
)


@st.composite
def _answers(draw):
    """Chunks that are much like one another: a few texts, each with some words exchanged."""
    chunks = []
    words = st.sampled_from(_VOCABULARY)
    origins = draw(st.lists(st.lists(words, min_size=1, max_size=60), min_size=1, max_size=3))
    for at in range(draw(st.integers(1, 8))):
        text = list(draw(st.sampled_from(origins)))
        for _ in range(draw(st.integers(0, 4))):
            text[draw(st.integers(0, len(text) - 1))] = draw(words)
        text = text[draw(st.integers(0, 6)) :]
        heading = (draw(st.sampled_from(["Works", "harbour quay", "v2.1"])),)
        doc = draw(st.sampled_from(["one", "two"]))
        joint = draw(st.sampled_from([" ", "\n"]))
        chunks.append(chunk(f"c{at}", joint.join(text), doc=doc, heading_path=heading))
    return chunks


@given(chunks=_answers())
@settings(max_examples=100, deadline=None)
def test_what_is_dropped_is_what_comparing_every_pair_drops(chunks):
    quick = EvidencePostProcessor(EvidenceSettings())
    plain = EvidencePostProcessor(EvidenceSettings())
    plain._signatures = EveryPair()
    assert quick.process(ranked(chunks)) == plain.process(ranked(chunks))


@given(chunks=_answers())
@settings(max_examples=100, deadline=None)
def test_of_different_documents_those_are_dropped_that_the_plain_formula_names(chunks):
    """Nine tenths of at least 16 words, no name and no heading word among what is lacking."""
    chunks = [replace(one, doc_id=f"d{at}") for at, one in enumerate(chunks)]
    kept, expected = [], []
    for one in chunks:
        words = word_set(one.text)
        double = any(
            one.text.strip() == other.text.strip()
            or (
                len(words) >= 16
                and len(words - word_set(other.text)) <= 0.1 * len(words) + 1e-9
                and not any(map(is_name, words - word_set(other.text)))
                and word_set(" > ".join(one.heading_path).casefold())
                <= word_set(f"{' '.join(other.heading_path)} {other.text}".casefold())
            )
            for other in kept
        )
        (expected if double else kept).append(one)
    assert ids(process(*chunks).evidence) == [one.chunk_id for one in kept]


@given(
    text=st.text(
        alphabet="ab.\x00\x1f \n\t\x7f\x80é\xa0\u2003\u3000中文가ไทย𠀀🎉\ud800", max_size=30
    )
)
@settings(max_examples=100, deadline=None)
def test_words_end_at_white_space_and_control_characters_and_runs_without_spaces_are_pairs(text):
    def kind(char: str) -> str:
        code = ord(char)
        if code <= 0x20 or code in (0x80, 0xA0, 0x2003):
            return "space"
        unspaced = 0x0E00 <= code <= 0x0EFF or 0x3000 <= code <= 0x9FFF or code >= 0x20000
        return "unspaced" if unspaced else "word"

    expected = set()
    for name, run in groupby(text, kind):
        run = "".join(run)
        if name == "word":
            expected.add(run)
        elif name == "unspaced":
            expected.update(map("".join, pairwise(run)))
    assert word_set(text) == expected
