"""How a look-up's verdict and evidence look on a terminal."""

from __future__ import annotations

from rich.text import Text

from rag.evidence.records import EvidenceItem, RagToolResult
from rag.surfaces.cli.search_view import channel_line, print_headline
from rag.surfaces.cli.terminal import Page, shown

SHOWN_LINES = 6  # of each piece; --context shows all
INDENT = 4
LEVEL_STYLE = {"high": "bold green", "medium": "bold yellow", "low": "bold red", "none": "bold red"}


def print_lookup(result: RagToolResult) -> None:
    """Print the verdict first, then each piece of evidence with its citation."""
    page = Page()
    page.line(_verdict(result))
    retry = "ask again" if result.retry.should_retry else "no need to ask again"
    page.line(f"{retry}: {shown(result.retry.hint)}")
    if result.retry.unmatched_words:
        words = ", ".join(map(shown, result.retry.unmatched_words))
        page.line(f"words found nowhere: {words}")
    page.line()
    for item in result.evidence:
        _print_item(page, item)
    _print_foot(page, result)


def _verdict(result: RagToolResult) -> Text:
    text = Text(shown(result.message))
    level = str(result.relevance_level)
    text.highlight_words([f"Relevance {level}"], LEVEL_STYLE[level])
    if f"Relevance {level}" not in text.plain:
        text = Text(f"Relevance {level}", style=LEVEL_STYLE[level]) + Text(": ") + text
    return text


def _print_item(page: Page, item: EvidenceItem) -> None:
    headings = " > ".join(item.heading_path) or item.title
    print_headline(
        page,
        f"[{item.number}] ",
        item.quality,
        item.citation.ref,
        headings,
        stale=item.stale,
    )
    lines = item.text.strip("\n").split("\n")
    for line in lines[:SHOWN_LINES]:
        page.line(shown(line), indent=INDENT if line else 0)
    left = len(lines) - SHOWN_LINES
    if left > 0:
        page.line(f"… {left} more lines", indent=INDENT, style="dim")
    if item.also_in:
        refs = ", ".join(shown(one.ref) for one in item.also_in)
        page.line(f"also in {refs}", indent=INDENT, style="dim")
    page.line()


def _print_foot(page: Page, result: RagToolResult) -> None:
    used = result.budget
    line = f"{used.used} of {used.limit} tokens ({used.counter})"
    if result.dropped_by_reason:
        reasons = result.dropped_by_reason.items()
        line += "; left out: " + ", ".join(f"{n} {reason}" for reason, n in reasons)
    page.line(line, style="dim")
    channels = " · ".join(
        channel_line(name, c.status, c.count, c.detail) for name, c in result.channels.items()
    )
    page.line(f"{result.mode}; {channels}; {result.took_ms:.0f} ms", style="dim")
    for warning in result.warnings:
        page.line(f"note: {shown(warning)}")
    if result.next_cursor:
        page.whole(f"more: --cursor {result.next_cursor}", style="dim")
