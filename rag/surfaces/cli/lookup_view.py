"""How a look-up's verdict and evidence look on a terminal."""

from __future__ import annotations

from rich.text import Text

from rag.evidence.records import EvidenceItem, RagToolResult, RelevanceLevel
from rag.surfaces.cli.origins import Origins, cited
from rag.surfaces.cli.search_view import CONTINUED, print_headline, search_line
from rag.surfaces.cli.terminal import Page, shown
from rag.surfaces.counted import counted

SHOWN_LINES = 6  # of each piece; --context shows all
INDENT = 4
LEVEL_STYLE = {"high": "bold green", "medium": "bold yellow", "low": "bold red", "none": "bold red"}


def print_lookup(result: RagToolResult, origins: Origins) -> None:
    """Print the verdict first, then each piece of evidence with its citation.

    ``origins`` tell documents of one path apart.
    """
    page = Page()
    page.line(_styled_verdict(result))
    retry = "yes" if result.retry.should_retry else "no"
    page.line(f"Retry: {retry}. {shown(result.retry.hint)}")
    if result.retry.unmatched_words:
        words = ", ".join(map(shown, result.retry.unmatched_words))
        page.line(f"words found nowhere: {words}")
    page.line()
    faint = result.relevance_level is RelevanceLevel.NONE
    if faint and result.evidence:
        page.line("What came nearest:")
    for item in result.evidence:
        _print_item(page, item, origins, faint=faint)
    _print_foot(page, result)


def verdict(result: RagToolResult) -> str:
    """Return the level and why, in one line."""
    said, level = shown(result.message), f"Relevance {result.relevance_level}"
    return said if level in said else f"{level}: {said}"


def _styled_verdict(result: RagToolResult) -> Text:
    text, level = Text(verdict(result)), result.relevance_level
    text.highlight_words([f"Relevance {level}"], LEVEL_STYLE[level])
    return text


def _print_item(page: Page, item: EvidenceItem, origins: Origins, *, faint: bool) -> None:
    headings = " > ".join(item.heading_path) or item.title
    print_headline(
        page,
        f"[{item.number}] ",
        item.quality,
        cited(item.citation, origins),
        headings,
        stale=item.stale,
        faint=faint,
    )
    lines = item.text.strip("\n").split("\n")
    for line in lines[:SHOWN_LINES]:
        page.line(shown(line), indent=INDENT if line else 0, style="dim" if faint else "")
    left = len(lines) - SHOWN_LINES
    if left > 0:
        page.line(f"… {counted(left, 'more line')}", indent=INDENT, style="dim")
    if item.also_in:
        refs = ", ".join(shown(cited(one, origins)) for one in item.also_in)
        page.line(f"also in {refs}", indent=INDENT, style="dim")
    page.line()


def _print_foot(page: Page, result: RagToolResult) -> None:
    used = result.budget
    line = f"{used.used} of {used.limit} tokens ({used.counter})"
    if result.dropped_by_reason:
        reasons = result.dropped_by_reason.items()
        line += "; left out: " + ", ".join(f"{n} {reason}" for reason, n in reasons)
    page.line(line, style="dim")
    page.line(search_line(result.mode, result.channels, result.took_ms), style="dim")
    for warning in result.warnings:
        page.line(f"note: {shown(warning)}")
    if result.next_cursor:
        page.line(f"more: {CONTINUED}", style="dim")
