"""A citation names the lines of the text that is shown, and reading them back gives that text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rag
from rag.evidence import EvidencePacker, cite
from rag.evidence.citation import span_shown
from rag.evidence.records import Evidence
from rag.evidence.text_cut import cut_at_boundary, without_blank_end
from rag.ingest.records import Span
from tests.evidence.evidence_samples import WordCounter, chunk, evidence, rated

LINES = "".join(f"Line {at} has its own words.\n" for at in range(1, 11))
TEXTS = st.text(alphabet=st.sampled_from("ab .\n。"), max_size=60)


@pytest.mark.scenario("evidence", "A piece of ten lines cut after its third")
def test_a_cut_piece_cites_the_lines_that_it_shows():
    stored = chunk("c1", LINES, lines=(7, 16))
    packed = EvidencePacker(WordCounter()).pack([Evidence(rated=rated(stored, 1))], 12 + 5 + 3 * 6)
    (item,) = packed.items
    assert (item.truncated, item.text) == (True, "".join(LINES.splitlines(True)[:3]).rstrip())
    assert cite(stored, span_shown(stored, item.text)).ref == "doc-c1.md#L7-L9"
    assert "[1] doc-c1.md#L7-L9\n" in packed.context


def test_a_cut_page_is_cited_by_its_number():
    stored = replace(chunk("c1", LINES), span=Span(kind="page", start=3, end=3))
    assert span_shown(stored, "Line 1 has its own words.") == stored.span


@pytest.mark.scenario("evidence", "A piece with blank lines at its end")
def test_a_piece_ends_with_the_last_line_that_it_cites():
    first, blank = evidence("One.\nTwo.\n\n \n", " \n\n")
    packed = EvidencePacker(WordCounter()).pack([first, blank], 1_000)
    assert [item.text for item in packed.items] == ["One.\nTwo.\n", " \n\n"]
    assert [item.truncated for item in packed.items] == [False, False]
    batch = EvidencePacker(WordCounter()).pack_batch([[first], [blank]], 1_000)
    assert [part.items[0].text for part in batch.parts] == ["One.\nTwo.\n", " \n\n"]


def test_a_text_that_two_questions_found_is_cited_where_it_stands_in_each_document():
    """The same text under blank lines; room for the cut of one only."""
    one = chunk("a1", LINES, lines=(7, 16))
    two = chunk("b1", f"\n\n{LINES}", lines=(1, 12))
    questions = [[Evidence(rated=rated(stored, 1))] for stored in (one, two)]
    batch = EvidencePacker(WordCounter()).pack_batch(questions, 50)
    (shown,), (repeated,) = (part.items for part in batch.parts)
    assert (shown.truncated, repeated.repeated) == (True, True)
    lines = shown.text.count("\n")
    assert span_shown(one, shown.text) == Span(kind="line", start=7, end=7 + lines)
    assert span_shown(two, repeated.text) == Span(kind="line", start=3, end=3 + lines)


@given(text=TEXTS.filter(str.strip), limit=st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_the_cited_lines_are_the_fewest_that_hold_what_is_shown(text: str, limit: int):
    lines = text.splitlines(keepends=True)
    stored = chunk("c", text, lines=(5, 5 + without_blank_end(text).rstrip().count("\n")))
    for shown in (cut_at_boundary(text, limit), without_blank_end(text)):
        if shown.strip():
            span = span_shown(stored, shown)
            cited = "".join(lines[span.start - 5 : span.end - 5 + 1])
            assert cited.startswith(shown)
            assert "\n" not in cited[len(shown) :].removesuffix("\n")
    assert without_blank_end(text) == cited


def test_reading_the_cited_lines_back_gives_the_text_of_each_piece(tmp_path: Path):
    """For whole pieces exactly; of a cut one all but the break at its end."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("peas", "beans"):
        sections = (f"## Bed {at}\n\n{LINES.replace('Line', name)}\n\n\n" for at in range(1, 9))
        (folder / f"{name}.md").write_text(f"\n# {name}\n\n" + "".join(sections), "utf-8")
    opened = rag.load_settings(
        store={"uri": str(tmp_path / "base")},
        embedding={"embedder": "none"},
        chunking={"target_tokens": 60, "max_tokens": 90},
    )
    cuts = wholes = 0
    with rag.open(opened) as base:
        base.ingest(folder)
        for budget in range(60, 400, 20):
            for item in base.lookup("own words of peas and beans", budget_tokens=budget).evidence:
                again = base.fetch_span(item.citation.ref).text
                assert again == item.text + "\n" * item.truncated
                cuts, wholes = cuts + item.truncated, wholes + (not item.truncated)
    assert cuts
    assert wholes
