"""How a look-up's verdict and evidence look on a terminal."""

from __future__ import annotations

from collections import Counter

from rich.padding import Padding
from rich.text import Text

from rag.evidence.records import EvidenceItem, RagToolResult
from rag.surfaces.cli.search_view import channel_line, quality_bar
from rag.surfaces.cli.terminal import shown, stdout_console

SHOWN_LINES = 6  # of each piece; --context shows all
LEVEL_STYLE = {"high": "bold green", "medium": "bold yellow", "low": "bold red", "none": "bold red"}


def print_lookup(result: RagToolResult) -> None:
    """Print the verdict first, then each piece of evidence with its citation."""
    console = stdout_console()
    verdict = Text("relevance ")
    verdict.append(str(result.relevance_level), style=LEVEL_STYLE[str(result.relevance_level)])
    verdict.append(f" ({result.level_basis}): {shown(result.message)}")
    console.print(verdict)
    retry = "retry may help" if result.retry.should_retry else "no retry"
    console.print(f"{retry}: {shown(result.retry.hint)}", markup=False)
    if result.retry.unmatched_words:
        words = ", ".join(map(shown, result.retry.unmatched_words))
        console.print(f"words found nowhere: {words}", markup=False)
    console.print()
    for item in result.evidence:
        _print_item(item)
    _print_foot(result)


def _print_item(item: EvidenceItem) -> None:
    console = stdout_console()
    head = Text(f"[{item.number}] ")
    head.append(quality_bar(item.quality), style="green")
    head.append(f"  {shown(item.citation.ref)}", style="bold")
    head.append(f"  {shown(' > '.join(item.heading_path) or item.title)}")
    if item.stale:
        head.append("  stale", style="yellow")
    console.print(head)
    lines = shown(item.text).strip("\n").split("\n")
    body = "\n".join(lines[:SHOWN_LINES])
    console.print(Padding(Text(body), (0, 0, 0, 4), expand=False))
    left = len(lines) - SHOWN_LINES
    if left > 0:
        console.print(f"    … {left} more lines", markup=False, style="dim")
    if item.also_in:
        console.print(
            f"    also in {', '.join(shown(one.ref) for one in item.also_in)}",
            markup=False,
            style="dim",
        )
    console.print()


def _print_foot(result: RagToolResult) -> None:
    console = stdout_console()
    used = result.budget
    line = f"{used.used} of {used.limit} tokens ({used.counter})"
    if result.dropped:
        reasons = Counter(str(drop.reason) for drop in result.dropped)
        line += "; dropped " + ", ".join(f"{n} {reason}" for reason, n in reasons.items())
    console.print(line, markup=False, style="dim")
    channels = " · ".join(
        channel_line(name, c.status, c.count, c.detail) for name, c in result.channels.items()
    )
    console.print(f"{result.mode}; {channels}; {result.took_ms:.0f} ms", markup=False, style="dim")
    for warning in result.warnings:
        console.print(f"note: {shown(warning)}", markup=False)
    if result.next_cursor:
        console.print(f"more: --cursor {result.next_cursor}", markup=False, style="dim")
