"""Text read back by lines and pages, with numbers that agree with citations."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import DocumentNotFoundError, InvalidArgumentError
from rag.ingest.records import Document, Media, Span, Trust
from rag.ranking.records import StoredChunk
from rag.retrieval import DocumentFetcher
from rag.retrieval.numbered_text import NumberedText, parse_ref
from rag.text import EstimatingTokenCounter

COUNTER = EstimatingTokenCounter()


def chunk(ordinal: int, text: str, span: Span) -> StoredChunk:
    return StoredChunk(
        chunk_id=f"{ordinal:032x}",
        doc_id="d" * 32,
        ordinal=ordinal,
        text=text,
        heading_path=(),
        span=span,
        uri="a.pdf" if span.kind == "page" else "a.md",
        title="A",
        media=Media.PDF if span.kind == "page" else Media.MARKDOWN,
        language="en",
        tags=(),
        source="default",
        source_type="document",
        trust=Trust.PRIMARY,
        tenant="",
        content_hash="h",
        indexed_at="2026-01-01T00:00:00+00:00",
        generation=1,
    )


class OneDocument:
    """A store of one document, as far as a fetcher asks."""

    def __init__(self, chunks: tuple[StoredChunk, ...], uri: str) -> None:
        self._chunks = chunks
        self._document = Document(
            doc_id="d" * 32,
            uri=uri,
            title="A",
            media=Media.MARKDOWN,
            content_hash="h",
            chunk_count=len(chunks),
            byte_size=1,
            indexed_at="2026-01-01T00:00:00+00:00",
        )

    def document(self, doc_id: str) -> Document | None:
        return self._document if doc_id == self._document.doc_id else None

    def documents(self, filters: object) -> list[Document]:
        return [self._document]

    def chunks(self, doc_id: str) -> tuple[StoredChunk, ...]:
        return self._chunks


def fetcher(chunks: tuple[StoredChunk, ...], uri: str = "a.md") -> DocumentFetcher:
    return DocumentFetcher(OneDocument(chunks, uri), COUNTER)  # type: ignore[arg-type]  # a part of it


def lines_in_chunks(text: str, cuts: list[int]) -> tuple[StoredChunk, ...]:
    """Return a text cut into chunks at any places; spans are not read for lines."""
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return tuple(
        chunk(n, text[a:b], Span(kind="line", start=1, end=1))
        for n, (a, b) in enumerate(pairwise(places))
    )


PAGES = tuple(
    chunk(n, text, Span(kind="page", start=page, end=page))
    for n, (page, text) in enumerate(
        [(1, "First page.\n"), (1, "Still first.\n\n"), (3, "Third page.\n\n"), (4, "Last.\n\n")]
    )
)


@settings(max_examples=80, deadline=None)
@given(
    text=st.text("ab\n\f\x85\u2028字", min_size=1, max_size=60),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    start=st.integers(1, 8),
    length=st.integers(0, 8),
)
def test_lines_are_counted_as_line_feeds_wherever_chunks_begin(
    text: str, cuts: list[int], start: int, length: int
):
    """Form feeds and other Unicode line ends are no lines, since readers count none."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    if not lines[-1]:
        lines.pop()
    source = fetcher(lines_in_chunks(text, cuts))
    if start > len(lines):
        with pytest.raises(InvalidArgumentError, match="the span starts at line"):
            source.span("a.md", start, start + length)
        return
    found = source.span("a.md", start, start + length)
    end = min(start + length, len(lines))
    assert (found.text, found.start, found.end) == ("".join(lines[start - 1 : end]), start, end)
    assert found.truncated is False


def test_pages_are_those_that_have_text():
    source = fetcher(PAGES, "a.pdf")
    assert source.span("a.pdf", 1).text == "First page.\nStill first.\n\n"
    assert source.span("a.pdf#p=3-4").text == "Third page.\n\nLast.\n\n"
    assert source.span("a.pdf", 2).text == ""
    whole = source.document("a.pdf")
    assert (whole.unit, whole.start, whole.end, whole.ref) == ("page", 1, 4, "a.pdf#p=1-4")


@settings(max_examples=60, deadline=None)
@given(budget=st.integers(0, 60))
def test_a_budget_bounds_the_text_and_the_end_is_where_it_ends(budget: int):
    lines = tuple(f"Line {n} has a few words in it.\n" for n in range(1, 9))
    source = fetcher(lines_in_chunks("".join(lines), [7, 90]))
    found = source.span("a.md", 2, 8, max_tokens=budget)
    assert found.tokens == COUNTER.count(found.text) <= budget
    assert "".join(lines[1:]).startswith(found.text)
    if found.text.endswith("\n"):
        assert found.end == 1 + found.text.count("\n")
    assert (found.end < found.start) == (not found.text)


def test_a_budget_inside_a_page_ends_at_that_page():
    found = fetcher(PAGES, "a.pdf").document("a.pdf", max_tokens=10)
    assert found.truncated
    assert (found.end, found.text) in ((1, found.text), (3, found.text))
    assert found.text.endswith("\n")


def test_a_line_longer_than_the_budget_is_cut_inside():
    found = fetcher(lines_in_chunks("word " * 400, [])).document("a.md", max_tokens=20)
    assert 0 < found.tokens <= 20
    assert (found.start, found.end, found.truncated) == (1, 1, True)


def test_a_document_without_text_is_empty():
    found = fetcher(()).document("a.md")
    assert (found.text, found.end, found.ref) == ("", 0, "a.md")


@pytest.mark.parametrize(
    ("ref", "path", "kind", "start", "end"),
    [
        ("a.md#L7", "a.md", "line", 7, 7),
        ("a.md#L7-L12", "a.md", "line", 7, 12),
        ("b.pdf#p=3", "b.pdf", "page", 3, 3),
        ("b.pdf#p=3-4", "b.pdf", "page", 3, 4),
        ("odd#L1#L2.md#L3", "odd#L1#L2.md", "line", 3, 3),
    ],
)
def test_a_citation_is_read_back(ref: str, path: str, kind: str, start: int, end: int):
    assert parse_ref(ref) == (path, Span(kind=kind, start=start, end=end))
    assert f"{path}#{parse_ref(ref)[1].fragment()}" == ref


@pytest.mark.parametrize(
    ("ref", "why"),
    [
        *((ref, "does not say where") for ref in ("a.md", "a.md#", "a.md#L", "a#p=", "#x")),
        ("a.md#L" + "9" * 400, "does not say where"),
        *((ref, "starts at 0") for ref in ("a.md#L0", "a.md#L0-L3", "b.pdf#p=0")),
        *((ref, "ends before it starts") for ref in ("a.md#L9-L3", "b.pdf#p=4-3", "a.md#L1-L0")),
    ],
)
def test_what_is_no_citation_is_refused(ref: str, why: str):
    with pytest.raises(InvalidArgumentError, match=why) as refused:
        parse_ref(ref)
    assert refused.value.hint


def test_an_unknown_document_is_told_with_where_to_look():
    with pytest.raises(DocumentNotFoundError) as raised:
        fetcher(PAGES).document("nope.md")
    assert "list the documents" in (raised.value.hint or "")


def test_pieces_keep_the_numbers_of_their_pages():
    numbered = NumberedText.of_chunks([replace(PAGES[2], ordinal=0)])
    assert (numbered.numbers, numbered.last) == ((3,), 3)
    assert numbered.number_at(0) is None
    assert numbered.number_at(5) == 3
    assert NumberedText.of_chunks([]).number_at(9) is None
