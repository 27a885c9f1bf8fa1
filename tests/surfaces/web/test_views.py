"""What the pages are made of: marked text, comparisons, documents, fusion sums."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape
from starlette.datastructures import QueryParams

from rag.answerability.profile import shipped_profile
from rag.assembly import open_base
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidArgumentError, InvalidFilterError
from rag.surfaces.web.comparison import PITCH, ROW_GAP, ROW_HEIGHT, compare
from rag.surfaces.web.document_view import MAX_ROWS, DocumentView, view_document
from rag.surfaces.web.hit_rows import hit_rows
from rag.surfaces.web.page_form import read_form
from rag.surfaces.web.reliability import SIDE, answerability_view
from rag.surfaces.web.safe_text import marked, visible
from rag.text import Analyzer
from rag.wire.search_response import ResultHit
from tests.surfaces.http_api.service import settings_in


@pytest.fixture
def base(tmp_path: Path) -> KnowledgeBase:
    return open_base(settings_in(tmp_path))


@given(text=st.text(max_size=60), ends=st.lists(st.integers(0, 60), max_size=8, unique=True))
def test_marked_text_is_the_escaped_text_with_marks_and_nothing_else(text: str, ends: list[int]):
    places = sorted(end for end in ends if end <= len(text))
    matches = list(zip(places[::2], places[1::2], strict=False))
    html = marked(text, matches)
    assert re.sub(r"</?(?:mark|span)(?: class=\"kept\")?>", "", html) == escape(visible(text))
    assert html.count("<mark>") == html.count("</mark>") == len(matches)


@given(
    text=st.text("ab- <>&`,\n", max_size=40),
    ends=st.lists(st.integers(0, 40), max_size=8, unique=True),
)
def test_marks_and_kept_options_are_well_nested(text: str, ends: list[int]):
    places = sorted(end for end in ends if end <= len(text))
    html = marked(text, zip(places[::2], places[1::2], strict=False))
    parts = list(ElementTree.fromstring(f"<p>{html}</p>").iter())
    assert sum(part.tag == "mark" for part in parts) == len(places) // 2
    assert "".join(ElementTree.fromstring(f"<p>{html}</p>").itertext()) == text


def test_an_option_is_kept_on_one_line():
    kept = '<span class="kept">{}</span>'
    assert marked("use --gib, or -k 1") == f"use {kept.format('--gib')}, or {kept.format('-k')} 1"
    assert marked("(--dry-run)", [(3, 6)]) == f"({kept.format('--<mark>dry</mark>-run')})"
    assert (
        marked("all-MiniLM-L6 - a\n---\n2024-01-02 --") == "all-MiniLM-L6 - a\n---\n2024-01-02 --"
    )
    assert marked("--" + "a" * 99) == "--" + "a" * 99  # wider than a phone
    assert marked("a --gib b", [(0, 5)]) == "<mark>a --g</mark>ib b"


def test_characters_that_turn_text_round_are_shown_as_such():
    assert visible("a\u202eb\u2066c\x1b[31m\x07\tn\n") == "a\ufffdb\ufffdc\ufffd[31m\ufffd\tn\n"


def _hits(base: KnowledgeBase, *order: str) -> tuple[ResultHit, ...]:
    hits = {hit.doc_path: hit for hit in base.search("word", k=10).hits}
    return tuple(replace(hits[name], rank=rank) for rank, name in enumerate(order, start=1))


def test_a_comparison_says_how_far_each_hit_moved(base: KnowledgeBase):
    for name in "abcd":
        base.ingest_text(f"word {name}", name=f"{name}.md")
    left, right = _hits(base, "a.md", "b.md", "c.md"), _hits(base, "b.md", "a.md", "d.md")
    found = compare(left, right)
    assert [one.change for one in found.left] == ["+1", "−1", "only here"]
    assert [one.change for one in found.right] == ["+1", "−1", "only here"]
    assert [(line.left, line.right, line.move) for line in found.lines] == [
        (1, 2, "down"),
        (2, 1, "up"),
    ]
    assert found.lines[0].left_y == ROW_HEIGHT / 2
    assert found.lines[0].right_y == PITCH + ROW_HEIGHT / 2
    assert (found.shared, found.height) == (2, 3 * PITCH - ROW_GAP)
    assert (compare((), ()).shared, compare((), ()).height) == (0, 0)


def test_the_fusion_is_written_in_figures(base: KnowledgeBase):
    base.ingest_text("backups are kept", name="a.md")
    base.ingest_text("nothing of the kind", name="b.md")
    found = base.search("backups", trace=True)
    rows = hit_rows(found, base.lookup("backups"))
    assert rows[0].fusion == "(1/61 + 1/61) ÷ (1/61 + 1/61)"
    assert rows[1].fusion == "(1/62) ÷ (1/61 + 1/61)"
    assert rows[1].hit.score == pytest.approx((1 / 62) / (1 / 61 + 1 / 61))
    assert (rows[0].number, rows[1].number) == (1, 2)
    assert (rows[0].lexical.share, rows[1].lexical.share) == (1.0, 0.0)
    alone = base.search("backups", mode="lexical", trace=True)
    assert hit_rows(alone, base.lookup("backups", mode="lexical"))[0].fusion is None


def test_a_duplicate_names_the_rank_of_what_it_doubles(base: KnowledgeBase):
    base.ingest_text("backups are kept for a year", name="a.md")
    base.ingest_text("backups are kept for a year", name="b.md")
    rows = hit_rows(base.search("backups", trace=True), base.lookup("backups"))
    assert (rows[0].dropped, rows[0].of) == (None, None)
    assert (rows[1].dropped, rows[1].of) == ("the same text as a better ranked piece", 1)


def test_a_hit_that_a_result_only_counts_has_its_reason_all_the_same(base: KnowledgeBase):
    for at in range(30):
        base.ingest_text(f"backups of day {at} are kept " * 9, name=f"{at:02}.md")
    result = base.lookup("backups kept", k=30, budget_tokens=120)
    rows = hit_rows(base.search("backups kept", k=30, trace=True), result)
    assert result.dropped_not_listed > 0
    assert {bool(row.number) ^ bool(row.dropped) for row in rows} == {True}
    assert rows[-1].dropped == "it did not fit the token budget"


def _view(base: KnowledgeBase, name: str, **options: object) -> DocumentView:
    given = {"start": None, "end": None, "at": None, "query": "", **options}
    return view_document(base.inspect_document(name), analyzer=Analyzer(), **given)  # type: ignore[arg-type]  # a test's keywords


def test_a_documents_lines_are_its_own_with_their_numbers(base: KnowledgeBase):
    text = "# One\n\nfirst line\nsecond <b>\n\n## Two\n\nlast"
    base.ingest_text(text, name="a.md")
    view = _view(base, "a.md", start=3, end=4, query="second")
    assert [row.number for row in view.rows] == list(range(1, 9))
    assert [str(row.text) for row in view.rows][:4] == [
        "# One",
        "",
        "first line",
        "<mark>second</mark> &lt;b&gt;",
    ]
    assert [row.number for row in view.rows if row.cited] == [3, 4]
    assert view.rows[0].heading == "One"
    assert (view.before, view.after) == (None, None)


def test_a_long_document_opens_at_its_citation(base: KnowledgeBase):
    base.ingest_text("".join(f"line {n}\n" for n in range(1, 5_001)), name="long.txt")
    view = _view(base, "long.txt", start=3_000, end=3_001)
    assert len(view.rows) == MAX_ROWS
    assert [row.number for row in view.rows if row.cited] == [3_000, 3_001]
    assert view.before is not None
    assert view.after == view.last + 1
    assert _view(base, "long.txt").rows[0].number == 1
    assert _view(base, "long.txt", at=4_990).rows[-1].number == 5_000
    assert _view(base, "long.txt", at=9_999).rows[0].number == 5_000


def test_a_form_reads_what_stands_in_the_address():
    form = read_form(
        QueryParams([("q", "a?"), ("k", " 5 "), ("lang", "en, zh,"), ("tenant", ""), ("x", "1")])
    )
    assert (form.q, form.k_or_none(), form.budget_or_none()) == ("a?", 5, None)
    assert form.search_filter().lang == ("en", "zh")
    assert form.search_filter().tenant is None
    assert form.address("/compare") == "/compare?q=a%3F&k=5&lang=en%2C+zh%2C"
    assert not read_form(QueryParams("q=%20")).asked
    with pytest.raises(InvalidArgumentError, match="from 1 to 200"):
        read_form(QueryParams("k=201")).k_or_none()
    with pytest.raises(InvalidFilterError):
        read_form(QueryParams("indexed_after=x")).search_filter()


@pytest.mark.scenario("web-inspector", "A profile with a reliability curve")
def test_a_profile_is_shown_with_its_errors_and_its_plot():
    profile = replace(
        shipped_profile(),
        measured={
            "cross_auroc": {"mean": 0.98, "least": 0.97, "most": 0.99},
            "cross_ece": 0.05,
            "reliability": {"cross": [(0.9, 0.8, 0.5), (0.1, 0.2, 0.5)], "removed": []},
        },
    )
    view = answerability_view(profile)
    assert view.measured == (("questions of other collections", ("0.98 (0.97–0.99)", "–", "0.05")),)
    (plot,) = view.plots
    assert plot.line == f"{0.1 * SIDE:.1f},{0.8 * SIDE:.1f} {0.9 * SIDE:.1f},{0.2 * SIDE:.1f}"
    assert answerability_view(replace(profile, measured={})).plots == ()
    bins = [(0.5, 0.5, 1.0)]
    mixed = {"reliability": {"other": bins, "given": bins, "removed": bins, "cross": bins}}
    assert [plot.title for plot in answerability_view(replace(profile, measured=mixed)).plots] == [
        "questions of other collections",
        "questions whose answers were removed",
        "questions given as unanswerable",
        "other",
    ]
    flat = answerability_view(replace(profile, measured={"reliability": [(0.5, 0.5, 1.0)]}))
    assert (flat.plots[0].title, flat.plots[0].points[0].radius) == ("all questions", 9.0)
