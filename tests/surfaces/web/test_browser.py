"""The inspector in a real browser: look up, compare, read, by mouse and by keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.surfaces.web.conftest import DESKTOP, PHONE, watched

QUESTION = "How long are backups kept?"
PAGES = (
    "/",
    "/?q=How+long+are+backups+kept%3F&k=6&budget=300",
    "/?q=zxcm+qwoeiu",
    "/?q=backups&k=0",
    "/compare",
    "/compare?q=who+is+on+call+when+the+database+is+down",
    "/documents",
    "/health",
    "/nothing",
)


def _asked(address: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = httpx2.post(f"{address}{path}", json=body).json()
    return answer


@pytest.mark.scenario("web-inspector", "A question is looked up")
def test_a_look_up_shows_what_an_agent_gets(page: Page, handbook_address: str):
    page.goto(handbook_address)
    expect(page.get_by_label("Question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".verdict .level")).to_have_text("medium")
    result = _asked(handbook_address, "/v1/lookup", {"query": QUESTION})
    expect(page.locator(".message")).to_have_text(result["message"])
    expect(page.locator(".retry")).to_contain_text(result["retry"]["hint"])
    assert page.locator("#context").text_content() == result["context"]
    used = f"{result['budget']['used']} of {result['budget']['limit']} tokens, estimate"
    expect(page.locator("aside .legend").first).to_have_text(used)


@pytest.mark.scenario("web-inspector", "What the channels said of a hit")
def test_each_hit_shows_its_ranks_scores_and_the_fusion_in_figures(
    page: Page, handbook_address: str
):
    page.goto(f"{handbook_address}/?q={QUESTION}&k=5")
    found = _asked(handbook_address, "/v1/search", {"query": QUESTION, "k": 5, "trace": True})
    hits = page.locator(".hit")
    assert hits.count() == len(found["hits"]) == 5
    for place, hit in enumerate(found["hits"]):
        row, detail = hits.nth(place), hit["retrieval"]
        expect(row.locator(".cite")).to_have_text(hit["citation"]["ref"])
        cells = [cell.strip() for cell in row.locator("dd").all_inner_texts()]
        assert cells[0] == f"{hit['quality']:.2f}"
        for cell, name, score in ((cells[1], "lexical", "BM25"), (cells[2], "vector", "cosine")):
            if detail[f"{name}_rank"] is None:
                assert cell == "not found"
            else:
                digits = 2 if name == "lexical" else 3
                value = f"{detail[f'{name}_score']:.{digits}f}"
                assert cell == f"#{detail[f'{name}_rank']} {score} {value}"
        sums = " + ".join(
            f"1/{60 + rank}"
            for rank in (detail["lexical_rank"], detail["vector_rank"])
            if rank is not None
        )
        assert cells[3].split() == f"{hit['score']:.4f} ({sums}) ÷ (1/61 + 1/61)".split()
    snippet = found["hits"][0]["snippet"]
    marks = page.locator(".hit").first.locator("mark").all_inner_texts()
    assert marks == [snippet["text"][start:end] for start, end in snippet["matches"]]
    assert "kept" in marks


def test_the_context_block_stays_in_view_and_citations_stand_in_one_line(
    page: Page, handbook_address: str
):
    page.goto(f"{handbook_address}/?q={QUESTION}&k=12")
    left = {round(box["x"]) for box in _boxes(page, ".hit .cite")}
    assert page.locator(".hit").count() > 9  # ranks of one figure, and of two
    assert len(left) == 1
    page.locator(".hit").last.scroll_into_view_if_needed()
    (box,) = _boxes(page, "#context")
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= DESKTOP["height"]


def _boxes(page: Page, selector: str) -> list[dict[str, float]]:
    """Return where each element of a kind stands in the window."""
    boxes: list[dict[str, float]] = page.locator(selector).evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().toJSON())"
    )
    return boxes


def test_a_snippet_keeps_its_lines(page: Page, handbook_address: str):
    page.goto(f"{handbook_address}/?q={QUESTION}")
    found = _asked(handbook_address, "/v1/search", {"query": QUESTION})
    for place, hit in enumerate(found["hits"]):
        snippet = page.locator(".hit").nth(place).locator(".snippet")
        assert snippet.text_content() == hit["snippet"]["text"]
    assert "\n" in page.locator(".snippet").first.inner_text()


@pytest.mark.scenario("web-inspector", "A small budget")
def test_what_was_left_out_is_shown_with_its_reason(page: Page, handbook_address: str):
    page.goto(f"{handbook_address}/?q={QUESTION}&k=6&budget=150")
    result = _asked(
        handbook_address, "/v1/lookup", {"query": QUESTION, "k": 6, "budget_tokens": 150}
    )
    assert result["dropped"]
    expect(page.locator(".drops li")).to_have_count(len(result["dropped"]))
    expect(page.locator(".drops li").first).to_contain_text("did not fit the token budget")
    expect(page.locator(".hit.left-out")).to_have_count(len(result["dropped"]))
    expect(page.locator(".hit .packed").first).to_have_text("[1]")


@pytest.mark.scenario("web-inspector", "A question that is refused")
def test_a_refused_question_is_refused_before_what_came_nearest(page: Page, handbook_address: str):
    page.goto(f"{handbook_address}/?q=zxcm+qwoeiu&mode=vector")
    result = _asked(handbook_address, "/v1/lookup", {"query": "zxcm qwoeiu", "mode": "vector"})
    assert (result["relevance_level"], result["reason"]) == ("none", "below_threshold")
    expect(page.locator(".verdict .plainly")).to_have_text("no piece fits well enough")
    expect(page.locator("#hits-title")).to_contain_text("What came nearest")
    expect(page.locator(".nearest-note")).to_contain_text("Quality is a ranking signal")
    expect(page.locator(".nearest .hit")).not_to_have_count(0)
    expect(page.locator(".bar.quality")).to_have_count(0)
    verdict, nearest = (_boxes(page, one)[0]["y"] for one in (".verdict", "#hits-title"))
    assert verdict < nearest
    assert _faults(page) == []


@pytest.mark.scenario("web-inspector", "A channel that was not asked")
def test_a_channel_that_was_not_asked_is_not_said_to_have_found_nothing(
    page: Page, handbook_address: str
):
    for mode, name in (("lexical", "vector"), ("vector", "words")):
        page.goto(f"{handbook_address}/?q={QUESTION}&mode={mode}")
        said = page.locator(".measures div", has_text=name).locator(".absent").all_inner_texts()
        assert set(said) == {"not asked"}


@pytest.mark.scenario("web-inspector", "A citation is opened")
def test_a_citation_leads_to_its_lines(page: Page, handbook_address: str):
    page.goto(f"{handbook_address}/?q={QUESTION}")
    found = _asked(handbook_address, "/v1/search", {"query": QUESTION})
    citation = found["hits"][0]["citation"]
    page.get_by_role("link", name=citation["ref"], exact=True).click()
    expect(page.locator("h1")).to_have_text("Backups")
    numbers = page.locator(".row.cited .no").all_inner_texts()
    assert numbers == [str(n) for n in range(citation["start"], citation["end"] + 1)]
    expect(page.locator("#cited")).to_be_in_viewport()
    assert "kept" in page.locator(".row.cited mark").all_inner_texts()
    assert page.locator(".row:not(.cited) mark").count() == 0
    page.get_by_role("link", name="back to").click()
    expect(page.get_by_label("Question")).to_have_value(QUESTION)


@pytest.mark.scenario("web-inspector", "Two modes side by side")
def test_two_modes_are_compared_line_by_line(page: Page, handbook_address: str):
    question = "who is on call when the database is down"
    page.goto(f"{handbook_address}/compare")
    page.get_by_label("Question").fill(question)
    page.get_by_label("Left").select_option("lexical")
    page.get_by_label("Right").select_option("vector")
    page.get_by_role("button", name="Compare").click()
    ranks: dict[str, dict[str, int]] = {}
    for side, mode in (("left", "lexical"), ("right", "vector")):
        found = _asked(handbook_address, "/v1/search", {"query": question, "mode": mode})
        ranks[side] = {hit["chunk_id"]: hit["rank"] for hit in found["hits"]}
        expect(page.locator(f".ranked.{side} li")).to_have_count(len(ranks[side]))
    shared = ranks["left"].keys() & ranks["right"].keys()
    assert shared
    expect(page.locator(".lines path")).to_have_count(len(shared))
    expect(page.locator(".summary b").first).to_have_text(str(len(shared)))
    changes = page.locator(".ranked.left .change").all_inner_texts()
    for (chunk_id, rank), said in zip(ranks["left"].items(), changes, strict=True):
        if chunk_id not in shared:
            assert said == "only here"
        else:
            moved = ranks["right"][chunk_id] - rank
            assert said == ("same" if moved == 0 else f"{moved:+d}".replace("-", "−"))
    page.locator(".ranked.left li").first.hover()
    assert page.locator(".lines path.lit").count() == (
        1 if next(iter(ranks["left"])) in shared else 0
    )


COMPARED = "/compare?q=who+is+on+call+when+the+database+is+down&k=8"


@pytest.mark.parametrize(("window", "scale"), [(DESKTOP, 1.0), (PHONE, 1.5)])
def test_lines_and_heads_of_a_comparison_stand_at_their_lists(
    page: Page, handbook_address: str, window: Any, scale: float
):
    page.set_viewport_size(window)
    page.goto(f"{handbook_address}{COMPARED}")
    path = page.locator(".lines path").last
    rank = int(path.get_attribute("data-left") or 0)
    (row,) = _boxes(page, f".ranked.left li[data-rank='{rank}']")
    (lines,) = _boxes(page, ".lines svg")
    start = float((path.get_attribute("d") or "").split()[1])
    assert lines["y"] + start * scale == pytest.approx(row["y"] + row["height"] / 2, abs=1)
    for side in ("left", "right"):
        (head,), (ranked,) = (_boxes(page, f".{kind}.{side}") for kind in ("side-head", "ranked"))
        assert (head["x"], head["width"]) == (ranked["x"], ranked["width"])
        assert lines["y"] == ranked["y"]


def test_the_lines_of_a_citation_are_never_cut_off_in_a_comparison(
    page: Page, handbook_address: str
):
    page.set_viewport_size(PHONE)
    page.goto(f"{handbook_address}{COMPARED}")
    cards, places = _boxes(page, ".ranked li"), _boxes(page, ".ranked .place")
    assert len(cards) == len(places)
    for card, place in zip(cards, places, strict=True):
        assert place["right"] <= card["right"]
        assert place["bottom"] <= card["bottom"]


@pytest.mark.scenario("web-inspector", "Levels of two modes")
def test_each_level_of_a_comparison_has_its_basis_beside_it(page: Page, handbook_address: str):
    page.goto(f"{handbook_address}{COMPARED}&mode=hybrid&other=vector")
    said = page.locator(".side-head .basis").all_inner_texts()
    assert said == ["ordinal", "similarity"]
    expect(page.locator(".summary")).to_contain_text("rest on different bases")
    page.goto(f"{handbook_address}{COMPARED}&mode=hybrid&other=lexical")
    assert "bases" not in page.locator(".summary").inner_text()


@pytest.mark.scenario("web-inspector", "By keys alone")
def test_everything_is_reached_by_keys(page: Page, handbook_address: str):
    page.goto(f"{handbook_address}/?q={QUESTION}")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("j")  # the list is closed off while the help is open
    expect(page.locator(".hit:focus")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("j")
    expect(page.locator("#hit-1")).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("#hit-2")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Question")).to_be_focused()
    page.keyboard.type("jk?")  # letters, in a field
    expect(page.get_by_label("Question")).to_have_value("jk?")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Question")).not_to_be_focused()
    page.goto(f"{handbook_address}/?q={QUESTION}")
    page.keyboard.press("c")
    page.wait_for_url("**/compare?q=*")
    page.keyboard.press("c")
    page.wait_for_url(f"{handbook_address}/?q=*")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/documents/*#cited")


def test_filters_and_mode_are_kept_and_empty_fields_left_out(page: Page, handbook_address: str):
    page.goto(handbook_address)
    page.get_by_label("Question").fill("backups")
    page.get_by_label("Mode").select_option("lexical")
    page.get_by_text("Filters").click()
    page.get_by_label("Language").fill("en, zh")
    page.get_by_role("button", name="Look up").click()
    page.wait_for_url("**/?q=backups&mode=lexical&lang=en%2C+zh")
    expect(page.get_by_label("Language")).to_have_value("en, zh")
    expect(page.locator(".verdict")).to_contain_text("lexical")
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_label("Left")).to_have_value("lexical")
    expect(page.get_by_label("Language")).to_have_value("en, zh")


def test_the_context_block_is_copied(browser: Browser, handbook_address: str):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{handbook_address}/?q={QUESTION}")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#context").text_content()
    context.close()


@pytest.mark.scenario("web-inspector", "A number out of range")
def test_a_mistake_is_said_above_the_form_that_keeps_it(page: Page, handbook_address: str):
    answer = page.goto(f"{handbook_address}/?q=backups&k=0")
    assert answer is not None
    assert answer.status == 400
    expect(page.get_by_role("alert")).to_contain_text("k must be a whole number from 1 to 200")
    expect(page.get_by_label("Hits")).to_have_value("0")
    expect(page.get_by_label("Question")).to_have_value("backups")


@pytest.mark.scenario("web-inspector", "An empty base")
def test_an_empty_base_says_how_to_fill_it(page: Page, empty_address: str):
    page.goto(empty_address)
    expect(page.get_by_role("heading", name="This base is empty")).to_be_visible()
    expect(page.locator(".shell")).to_contain_text("rag ingest FOLDER")
    page.get_by_label("Question").fill("anything")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict .level")).to_have_text("none")
    expect(page.locator(".reason")).to_have_text("empty_index")
    for path in ("/compare?q=anything", "/documents", "/health"):
        answer = page.goto(f"{empty_address}{path}")
        assert answer is not None
        assert answer.status == 200
        says_so = page.get_by_role("heading", name="This base is empty")
        expect(says_so).to_have_count(0 if path == "/health" else 1)


@pytest.mark.scenario("web-inspector", "A base that was never made")
def test_a_missing_base_is_said_with_how_to_make_it(page: Page, missing_address: str):
    for path, status in (("/", 200), ("/?q=keys", 503), ("/compare", 200), ("/documents", 503)):
        answer = page.goto(f"{missing_address}{path}")
        assert answer is not None
        assert answer.status == status, path
        expect(page.get_by_role("heading", name="There is no base here yet")).to_be_visible()
        expect(page.locator(".shell")).to_contain_text("rag ingest FOLDER --store ")
    page.goto(f"{missing_address}/?q=keys&k=3")
    expect(page.get_by_label("Question")).to_have_value("keys")


@pytest.mark.scenario("web-inspector", "A hostile document")
def test_a_hostile_document_is_shown_and_never_run(page: Page, hostile_address: str):
    listed = httpx2.get(f"{hostile_address}/v1/documents?source=x").json()["documents"][0]
    addresses = (
        "/?q=rotate+keys",
        "/?q=rotate+keys+%3Cscript%3Ewindow.hacked%3D1%3C%2Fscript%3E&lang=%22%3E%3Cscript%3E",
        "/compare?q=rotate+keys",
        "/compare?q=keys&mode=%22%3E%3Cscript%3Ewindow.hacked%3D1%3C%2Fscript%3E",
        "/documents",
        f"/documents/{listed['doc_id']}?start=1&end=9&q=keys",
        "/documents?path_prefix=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    )
    for address in addresses:
        page.goto(f"{hostile_address}{address}")
        page.mouse.move(400, 400)
        assert page.evaluate("window.hacked") is None
        assert page.locator("main script, main img, main svg[onload], main b[onclick]").count() == 0
    page.goto(f"{hostile_address}/?q=rotate+keys")
    shown = page.locator("#context").text_content() or ""
    assert "<script>window.hacked = 1" in shown
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in shown
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/documents/*#cited")
    expect(page.locator(".document-head .path")).to_have_text(listed["uri"])
    expect(page.locator("h1")).to_have_text(listed["title"])


CHECKS = (Path(__file__).parent / "page_checks.js").read_text(encoding="utf-8")


def _faults(page: Page) -> list[str]:
    """Return what is hard to read or to operate on a page."""
    faults: list[str] = page.evaluate(CHECKS)
    return faults


@pytest.mark.scenario("web-inspector", "Read in the dark and in the light")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_and_controls_have_names(
    browser: Browser, handbook_address: str, scheme: Any
):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    faults = watched(page, handbook_address)
    doc_id = httpx2.get(f"{handbook_address}/v1/documents").json()["documents"][0]["doc_id"]
    for path in (*PAGES, f"/documents/{doc_id}?start=2&end=5&q=backups"):
        page.goto(f"{handbook_address}{path}")
        assert _faults(page) == [], path
        assert page.locator("html").get_attribute("lang") == "en"
        assert page.locator("main").count() == 1
    page.keyboard.press("?")
    assert _faults(page) == []
    context.close()
    assert faults == []


def test_the_way_by_tab_is_the_way_of_reading(page: Page, handbook_address: str):
    page.goto(f"{handbook_address}/?q={QUESTION}&k=2")
    reached = []
    for _ in range(18):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "[document.activeElement.textContent.trim().slice(0, 15),"
                " document.activeElement.id || document.activeElement.className].join('|')"
            )
        )
    order = ["skip", "nav-compare", "help-button", "q", "mode", "k", "budget", "cite", "context"]
    places = [
        next(at for at, one in enumerate(reached) if one.split("|")[1] == name) for name in order
    ]
    assert places == sorted(places)
    assert page.locator("[aria-current=page]").all_inner_texts() == ["Look up"]


@pytest.mark.scenario("web-inspector", "Still")
def test_nothing_moves_for_whoever_asked_for_less_motion(browser: Browser, handbook_address: str):
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{handbook_address}{COMPARED}")
    moving = """() => Array.from(document.querySelectorAll('*')).filter((one) =>
      parseFloat(getComputedStyle(one).transitionDuration) > 0
      || getComputedStyle(one).animationName !== 'none').length"""
    assert page.evaluate(moving) == 0
    context.close()


@pytest.mark.scenario("web-inspector", "Read on a phone")
def test_nothing_is_cut_off_on_a_phone(browser: Browser, handbook_address: str):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    doc_id = httpx2.get(f"{handbook_address}/v1/documents").json()["documents"][0]["doc_id"]
    for path in (*PAGES, f"/documents/{doc_id}?start=2&end=5"):
        page.goto(f"{handbook_address}{path}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE["width"], f"{path} is {wide} pixels wide"
    context.close()


CUT = """() => Array.from(document.querySelectorAll('main *'))
  .filter((one) => one.checkVisibility() && !one.closest('svg, pre, .unseen, thead'))
  .filter((one) => one.getBoundingClientRect().right > innerWidth
    || (getComputedStyle(one).overflowX === 'auto' && one.scrollWidth > one.clientWidth + 1))
  .map((one) => one.outerHTML.slice(0, 80))"""


@pytest.mark.scenario("web-inspector", "Tables on a phone")
def test_every_figure_of_a_table_is_on_the_screen_of_a_phone(page: Page, calibrated_address: str):
    page.set_viewport_size(PHONE)
    for path in ("/health", "/documents", f"{COMPARED}&other=lexical", "/?q=zxcm+qwoeiu"):
        page.goto(f"{calibrated_address}{path}")
        assert page.evaluate(CUT) == [], path
    page.goto(f"{calibrated_address}/health")
    (window,) = {page.evaluate("innerWidth")}
    figures = _boxes(page, "#answerability td")
    assert figures
    assert all(0 <= box["left"] < box["right"] <= window for box in figures)


@pytest.mark.scenario("web-inspector", "What a profile was fitted on")
def test_health_says_what_the_profile_was_fitted_on(page: Page, calibrated_address: str):
    page.goto(f"{calibrated_address}/health")
    expect(page.locator("#answerability")).to_contain_text(
        "on 2 collections of questions: one two/zh"
    )
    rows = page.locator("#answerability tbody th").all_inner_texts()
    plots = page.locator("#answerability figcaption").all_inner_texts()
    assert [title.lower() for title in plots] == rows
    assert _faults(page) == []


def test_unlike_levels_of_like_ranks_are_explained(page: Page, calibrated_address: str):
    page.goto(f"{calibrated_address}{COMPARED}&other=lexical")
    said = page.locator(".side-head .basis").all_inner_texts()
    assert all(one.startswith("calibrated: ") for one in said)


@pytest.mark.scenario("web-inspector", "Without scripts")
def test_look_up_and_compare_work_without_scripts(browser: Browser, handbook_address: str):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(handbook_address)
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Look up").click()
    expect(page.locator(".hit")).not_to_have_count(0)
    expect(page.locator("#help-button")).to_be_hidden()
    page.get_by_role("link", name="Compare").click()
    expect(page.locator(".ranked.left li")).not_to_have_count(0)
    context.close()
