from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import InvalidArgumentError, UnreadableFileError
from rag.ingest.heading_chunker import HeadingChunker
from rag.ingest.identity import chunk_id
from rag.ingest.index_text import index_hash
from rag.ingest.readers import reader_for
from rag.ingest.records import Media, ParsedDocument, Section, Span
from rag.text import EstimatingTokenCounter
from tests.ingest.builders import CharacterCounter, chunks_of

DOC_ID = "d" * 32

lines = st.sampled_from(
    [
        "# Top", "## Second { #anchor }", "### Third", "#", "Setext", "---", "===", "", "",
        "   ", "A sentence. Another one! A third?", "한국어 문장입니다. 두 번째.", "这是。还有！",
        "- item", "  - nested", "1. first", "```python", "~~~", "    indented", "def f():",
        "| a | b |", "|---|---|", "> quote", "/// note", "///", "::: tip", ":::", "\t- tab",
        "word " * 30, "长" * 70, "x" * 150, "👨‍👩‍👧 é ê̄ שלום مرحبا", "# not in fence",
        "<div>", "</div>", "title: x", ".. code::", "\u2028\x0b\x0c", "+++", "~~~~",
    ]
)  # fmt: skip
documents = st.lists(lines, max_size=40).map("\n".join) | st.text(max_size=400)


@settings(max_examples=100, deadline=None)
@given(
    text=documents,
    uri=st.sampled_from(["a.md", "a.rst", "a.txt", "a.py"]),
    target=st.integers(1, 80),
    slack=st.integers(0, 80),
)
@pytest.mark.scenario("ingestion", "Any document")
def test_chunks_joined_are_the_text_within_the_limit_and_rightly_cited(
    text: str, uri: str, target: int, slack: int
) -> None:
    reader = reader_for(uri)
    assert reader is not None
    text = text.replace("\0", " ").encode("utf-8", "replace").decode()
    try:
        parsed = reader.read(text.encode(), uri=uri)
    except UnreadableFileError:  # control characters make it no text
        return
    limit = target + slack
    chunks = HeadingChunker(CharacterCounter(), target, limit).chunk(parsed, doc_id=DOC_ID)

    if not parsed.text.strip():
        assert chunks == ()
        return
    assert "".join(chunk.text for chunk in chunks) == parsed.text
    assert all(0 < len(chunk.text) <= limit for chunk in chunks)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        assert chunk.text == parsed.text[chunk.char_start : chunk.char_end]
        first = parsed.text.count("\n", 0, chunk.char_start) + 1
        last = first + chunk.text.rstrip().count("\n")
        assert chunk.span == Span(kind="line", start=first, end=last)


@settings(max_examples=60, deadline=None)
@given(text=documents, target=st.integers(4, 60))
def test_the_estimating_counter_keeps_the_limit_too(text: str, target: int) -> None:
    counter = EstimatingTokenCounter()
    parsed = _plain(text)
    chunks = HeadingChunker(counter, target, 2 * target).chunk(parsed, doc_id=DOC_ID)
    assert "".join(chunk.text for chunk in chunks) == (text if text.strip() else "")
    # one character may by itself be over a tiny limit, and is then a chunk of its own
    assert all(counter.count(chunk.text) <= 2 * target or len(chunk.text) == 1 for chunk in chunks)


def test_a_chunk_depends_on_nothing_but_document_settings_and_text() -> None:
    first = chunks_of("# A\n\none\n\n# B\n\ntwo\n" * 20)
    assert first == chunks_of("# A\n\none\n\n# B\n\ntwo\n" * 20)
    version = HeadingChunker(CharacterCounter(), 200, 400).version
    for chunk in first:
        assert chunk.content_hash == index_hash("A", chunk.heading_path, chunk.text)
        assert chunk.chunk_id == chunk_id(DOC_ID, version, chunk.ordinal, chunk.content_hash)
        assert len(chunk.chunk_id) == 32


def test_the_version_names_counter_and_limits() -> None:
    versions = {
        HeadingChunker(CharacterCounter(), 100, 200).version,
        HeadingChunker(CharacterCounter(), 100, 201).version,
        HeadingChunker(CharacterCounter(), 99, 200).version,
        HeadingChunker(EstimatingTokenCounter(), 100, 200).version,
    }
    assert len(versions) == 4


@pytest.mark.parametrize(("target", "limit"), [(0, 10), (11, 10), (-1, -1)])
def test_limits_out_of_order_are_refused(target: int, limit: int) -> None:
    with pytest.raises(InvalidArgumentError, match="out of order"):
        HeadingChunker(CharacterCounter(), target, limit)


@pytest.mark.scenario("ingestion", "Heading path of a nested section")
def test_each_section_is_a_chunk_under_its_own_heading_path() -> None:
    body = "x" * 120
    chunks = chunks_of(f"# Guide\n\n{body}\n\n## Install\n\n{body}\n\n### Linux\n\n{body}\n")
    assert [chunk.heading_path for chunk in chunks] == [
        ("Guide",),
        ("Guide", "Install"),
        ("Guide", "Install", "Linux"),
    ]
    assert [chunk.span.fragment() for chunk in chunks] == ["L1-L3", "L5-L7", "L9-L11"]


@pytest.mark.scenario("ingestion", "Heading without text")
def test_a_bare_heading_goes_with_the_section_that_follows() -> None:
    body = "x" * 180
    (only,) = chunks_of(f"# Guide\n\n## Install\n\n{body}\n")
    assert only.heading_path == ("Guide", "Install")
    assert only.text.startswith("# Guide\n\n## Install")


def test_a_bare_heading_finds_room_even_before_a_block_as_large_as_the_limit() -> None:
    words = "word. " * 66
    chunks = chunks_of(f"# Guide\n\n## Install\n\n{words}\n", target=200, limit=400)
    assert chunks[0].text.startswith("# Guide\n\n## Install\n\nword.")
    assert {chunk.heading_path for chunk in chunks} == {("Guide", "Install")}


def test_a_bare_heading_at_the_end_goes_with_the_section_before() -> None:
    (only,) = chunks_of("# Guide\n\nwords\n\n## See also\n")
    assert only.heading_path == ("Guide",)
    assert only.text.endswith("## See also\n")


def test_a_document_of_headings_alone_is_one_chunk() -> None:
    (only,) = chunks_of("# A\n\n## B\n\n### C\n")
    assert only.heading_path == ("A",)


@pytest.mark.scenario("ingestion", "Small siblings")
def test_small_siblings_join_up_to_the_target_and_take_the_first_ones_path() -> None:
    # each section is 6 + 26 = 32 characters, under a sixth of the target 200
    text = "".join(f"## {name}\n\n{'x' * 24}\n\n" for name in "abcdefg")
    chunks = chunks_of(text, target=200, limit=400)
    assert [len(chunk.text) for chunk in chunks] == [6 * 32, 32]
    assert [chunk.heading_path for chunk in chunks] == [("a",), ("g",)]


def test_a_large_section_is_never_filed_under_its_small_sibling() -> None:
    chunks = chunks_of(f"## a\n\nshort\n\n## b\n\n{'x' * 100}\n")
    assert [chunk.heading_path for chunk in chunks] == [("a",), ("b",)]


def test_short_opening_words_take_the_first_subsection_in() -> None:
    (only,) = chunks_of(f"# Guide\n\nIntro.\n\n## a\n\n{'x' * 100}\n")
    assert only.heading_path == ("Guide",)


def test_small_sections_of_different_parents_stay_apart() -> None:
    body = "x" * 160
    chunks = chunks_of(f"# A\n\n{body}\n\n## a\n\n{body}\n\n# B\n\nshort\n")
    assert [chunk.heading_path for chunk in chunks] == [("A",), ("A", "a"), ("B",)]


@pytest.mark.scenario("ingestion", "Front matter")
def test_front_matter_is_part_of_the_first_chunk_not_one_of_its_own() -> None:
    chunks = chunks_of("---\ntitle: Setup\ntags: [a]\n---\n\n# Install\n\nRun it.\n")
    assert [chunk.heading_path for chunk in chunks] == [("Install",)]
    assert chunks[0].span == Span(kind="line", start=1, end=8)


def test_a_file_of_front_matter_alone_is_one_chunk() -> None:
    (only,) = chunks_of("---\ntitle: Setup\n---\n")
    assert only.heading_path == ()


@pytest.mark.parametrize("text", ["", " ", "\n\n\t \n"])
@pytest.mark.parametrize("uri", ["a.md", "a.txt", "a.rst", "a.py"])
def test_white_space_alone_gives_no_chunk(text: str, uri: str) -> None:
    assert chunks_of(text, uri) == ()


@pytest.mark.scenario("ingestion", "Code fence that fits")
def test_a_fence_that_fits_the_limit_is_never_cut() -> None:
    fence = "```python\n" + "a = 1\n\n" * 40 + "```\n"
    chunks = chunks_of(f"# T\n\n{'words. ' * 30}\n\n{fence}\n{'words. ' * 30}\n")
    assert 200 < len(fence) <= 400
    assert sum(fence in chunk.text for chunk in chunks) == 1


def test_a_fence_over_the_limit_is_cut_at_lines() -> None:
    fence = "```\n" + "value = compute()\n" * 60 + "```\n"
    chunks = chunks_of(fence)
    assert len(chunks) > 1
    assert all(chunk.text.endswith("\n") for chunk in chunks)


def test_a_table_and_a_list_item_stay_whole() -> None:
    table = "| k | v |\n|---|---|\n" + "| key | value |\n" * 20
    item = "- item one\n\n  " + "continued " * 20 + "\n"
    chunks = chunks_of(f"{'words. ' * 30}\n\n{table}\n{'words. ' * 20}\n\n{item}\n")
    assert sum(table in chunk.text for chunk in chunks) == 1
    assert sum(item.rstrip() in chunk.text for chunk in chunks) == 1


def test_an_admonition_stays_whole_with_its_closing_mark() -> None:
    note = "/// note\n\n" + "careful. " * 12 + "\n\n" + "really. " * 12 + "\n\n///\n"
    chunks = chunks_of(f"{'words. ' * 25}\n\n{note}\n{'words. ' * 25}\n")
    assert sum(note in chunk.text for chunk in chunks) == 1


def test_a_line_that_announces_something_stays_with_it() -> None:
    chunks = chunks_of(f"{'w' * 150}\n\nFor example:\n\n{'y' * 120}\n\n{'z' * 150}\n", "a.txt")
    (holder,) = [chunk for chunk in chunks if "For example:" in chunk.text]
    assert "y" * 120 in holder.text


def test_code_is_cut_between_functions_before_it_is_cut_inside_one() -> None:
    function = "def f{n}():\n    a = 1\n\n    b = 2\n\n    return a + b{pad}\n\n\n"
    code = "".join(function.format(n=n, pad=" + 0" * 25) for n in range(4))
    chunks = chunks_of(code, "a.py")
    assert len(chunks) == 4
    assert all(chunk.text.startswith("def f") for chunk in chunks)


@pytest.mark.scenario("ingestion", "One huge paragraph")
def test_a_paragraph_of_80_000_tokens_is_cut_at_sentences_and_nothing_is_lost() -> None:
    sentence = "The quick brown fox jumps over the lazy dog again. "
    text = (sentence * 8_000).strip()
    counter = EstimatingTokenCounter()
    assert counter.count(text) > 80_000
    chunks = HeadingChunker(counter, 256, 512).chunk(_plain(text), doc_id=DOC_ID)
    assert "".join(chunk.text for chunk in chunks) == text
    assert all(counter.count(chunk.text) <= 512 for chunk in chunks)
    assert all(chunk.text.rstrip().endswith("again.") for chunk in chunks)


@pytest.mark.scenario("ingestion", "Chinese sentences")
def test_chinese_is_cut_after_its_full_stops() -> None:
    chunks = chunks_of("这是一个句子。那是另一个句子！对不对？" * 40, "a.txt")
    assert len(chunks) > 1
    assert all(chunk.text[-1] in "。！？" for chunk in chunks)


def test_words_and_drawn_characters_are_not_cut_where_that_can_be_helped() -> None:
    assert all(
        chunk.text.endswith(" ") for chunk in chunks_of("longish words " * 100, "a.txt")[:-1]
    )
    family = "👨‍👩‍👧‍👦"
    for chunk in chunks_of(family * 200, "a.txt"):
        assert chunk.text == family * (len(chunk.text) // len(family))
    for chunk in chunks_of("e\u0301" * 500, "a.txt"):
        assert chunk.text[0] == "e"


def test_hard_wrapped_prose_is_cut_where_a_sentence_ends_with_the_line() -> None:
    wrapped = ("some words that go on and\non until here.\n") * 30
    chunks = chunks_of(wrapped, "a.txt")
    assert len(chunks) > 1
    assert all(chunk.text.endswith("here.\n") for chunk in chunks)


@pytest.mark.scenario("ingestion", "Small neighbouring pages")
def test_pages_are_never_joined() -> None:
    text = "one\n\ntwo\n\n"
    parsed = ParsedDocument(
        text=text,
        title="t",
        media=Media.PDF,
        sections=(Section(start=0, end=5, page=1), Section(start=5, end=10, page=4)),
    )
    chunks = HeadingChunker(CharacterCounter(), 200, 400).chunk(parsed, doc_id=DOC_ID)
    assert [chunk.span.fragment() for chunk in chunks] == ["p=1", "p=4"]


class _JoinedCostsMore(CharacterCounter):
    """Counts more for a whole than for its parts, as a tokenizer may at a joint."""

    def count(self, text: str, /) -> int:
        return len(text) + len(text) // 20

    def prefix(self, text: str, max_tokens: int, /) -> int:
        length = min(len(text), max_tokens)
        while self.count(text[:length]) > max_tokens:
            length -= 1
        return max(length, 0)


@settings(max_examples=50, deadline=None)
@given(text=documents)
def test_the_limit_holds_for_a_counter_that_is_not_additive(text: str) -> None:
    counter = _JoinedCostsMore()
    chunks = HeadingChunker(counter, 38, 40).chunk(_plain(text), doc_id=DOC_ID)
    assert all(counter.count(chunk.text) <= 40 for chunk in chunks)
    assert "".join(chunk.text for chunk in chunks) == (text if text.strip() else "")


class _Recording(CharacterCounter):
    def __init__(self) -> None:
        self.characters = 0

    def count(self, text: str, /) -> int:
        self.characters += len(text)
        return len(text)


@pytest.mark.parametrize(
    "text",
    [
        "word " * 40_000,
        "A sentence here. " * 12_000,
        "a line of a log\n" * 12_000,
        "x" * 200_000,
        "." * 200_000,
        "\n" * 100_000 + "x" + " " * 100_000,
        "".join("\n\n" + " " * (number % 50) + "x = 1" for number in range(6_000)),
    ],
)
def test_counting_takes_time_in_proportion_to_the_text(text: str) -> None:
    counter = _Recording()
    HeadingChunker(counter, 256, 512).chunk(_plain(text), doc_id=DOC_ID)
    assert counter.characters <= 12 * len(text)  # a pass per way of cutting, and some joining


def _plain(text: str) -> ParsedDocument:
    return ParsedDocument(
        text=text,
        title="t",
        media=Media.TEXT,
        sections=(Section(start=0, end=len(text)),) if text else (),
    )
