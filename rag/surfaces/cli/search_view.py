"""How a page of hits looks on a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from rag.evidence.records import ChannelOutcome
from rag.ranking.records import Channel
from rag.surfaces.cli.origins import Origins, cited
from rag.surfaces.cli.terminal import Page, shown
from rag.surfaces.counted import counted
from rag.wire.search_response import FusionTrace, ResultHit, SearchResult, SearchTrace

BAR_CELLS = 10
EXPLAINED_DROPS = 20
INDENT = 5
CONTINUED = "--cursor with the next_cursor that --json prints"


def quality_bar(quality: float) -> str:
    """Return a quality as a small bar with its number: ``█████░░░░░ 0.50``."""
    full = round(quality * BAR_CELLS)
    return "█" * full + "░" * (BAR_CELLS - full) + f" {quality:.2f}"


def channel_line(name: str, status: str, count: int, detail: str | None) -> str:
    """Return what a channel did in words."""
    said = f"{name}: {counted(count, 'candidate')}" if status == "ok" else f"{name}: {status}"
    return f"{said} ({shown(detail)})" if detail else said


def search_line(mode: str, channels: Mapping[str, ChannelOutcome], took_ms: float) -> str:
    """Return how a result came about: the channels that its mode asks, and the time taken."""
    asked = {name: one for name, one in channels.items() if mode in ("hybrid", name)}
    said = " · ".join(
        channel_line(name, one.status, one.count, one.detail) for name, one in asked.items()
    )
    return f"{'hybrid; ' if mode == 'hybrid' else ''}{said}; {took_ms:.0f} ms"


def print_headline(
    page: Page,
    place: str,
    quality: float,
    ref: str,
    rest: str,
    *,
    stale: bool,
    faint: bool = False,
) -> None:
    """Print a hit's place, quality and citation; its headings beside it where there is room.

    ``faint`` is for what came nearest and still does not fit.
    """
    line = Text(place, style="dim" if faint else "")
    line.append(quality_bar(quality), style="" if faint else "green")
    line.append("  ")
    line.append(shown(ref), style="" if faint else "bold")
    if stale:
        line.append("  stale", style="yellow")
    headings = Text(f"  {shown(rest)}")
    if page.width is None or line.cell_len + headings.cell_len <= page.width:
        page.whole(line + headings)
    else:
        page.whole(line)
        page.line(shown(rest), indent=INDENT)


def print_search(result: SearchResult, origins: Origins) -> None:
    """Print hits in rank order, then what the channels did and how to go on.

    ``origins`` tell documents of one path apart.
    """
    page = Page()
    if not result.hits and not result.budget:
        page.line("the index is empty; ingest something first" if result.index_empty else "no hits")
    for hit in result.hits:
        headings = " > ".join(hit.heading_path) or hit.title
        print_headline(
            page,
            f"{hit.rank:3}  ",
            hit.quality,
            cited(hit.citation, origins),
            headings,
            stale=hit.stale,
        )
        if result.trace is not None:
            for line in _explanation(hit, result.trace):
                page.line(line, indent=INDENT, style="dim")
        if hit.snippet is not None:
            page.line(_snippet(hit), indent=INDENT)
        page.line()
    _print_foot(page, result)


def _print_foot(page: Page, result: SearchResult) -> None:
    page.line(search_line(result.mode, result.channels, result.took_ms), style="dim")
    if result.budget is not None:
        used = result.budget
        cut = "; cut to fit" if result.truncated else ""
        page.line(f"{used.used} of {used.limit} tokens as JSON ({used.counter}){cut}", style="dim")
    for warning in result.warnings:
        page.line(f"note: {shown(warning)}")
    if result.trace is not None:
        _print_drops(page, result.trace)
    if result.next_cursor:
        page.line(f"more: a larger -k, or {CONTINUED}", style="dim")


def _snippet(hit: ResultHit) -> Text:
    assert hit.snippet is not None
    # every white space becomes one blank, so that the matches stay where they are
    body = Text("".join(" " if char.isspace() else char for char in shown(hit.snippet.text)))
    for start, end in hit.snippet.matches:
        body.stylize("bold cyan", start, end)
    return body


def _explanation(hit: ResultHit, trace: SearchTrace) -> list[str]:
    detail = hit.retrieval
    lines = [
        _channel_said("lexical", detail.lexical_rank, detail.lexical_score, "BM25"),
        _channel_said("vector", detail.vector_rank, detail.vector_score, "cosine"),
    ]
    if detail.fusion_score is not None and trace.fusion is not None:
        lines.append(_fusion_sum(hit, trace.fusion))
    else:
        lines.append(f"score {_number(hit.score)} ({hit.score_kind})")
    return lines


def _channel_said(name: str, rank: int | None, score: float | None, unit: str) -> str:
    if rank is None:
        return f"{name:8} not among its candidates"
    return f"{name:8} rank {rank}, {unit} {_number(score)}"


def _fusion_sum(hit: ResultHit, fusion: FusionTrace) -> str:
    if fusion.kind == "minmax":
        weights = " and ".join(f"{weight:g} {name}" for name, weight in fusion.weights.items())
        return f"fusion   minmax, weights {weights} = {_number(hit.retrieval.fusion_score)}"
    ranks = {
        Channel.LEXICAL: hit.retrieval.lexical_rank,
        Channel.VECTOR: hit.retrieval.vector_rank,
    }
    terms = [
        f"{fusion.weights[channel]:g}/({fusion.k}+{rank})"
        for channel, rank in ranks.items()
        if rank is not None and channel in fusion.weights
    ]
    most = " + ".join(f"{weight:g}/({fusion.k}+1)" for weight in fusion.weights.values())
    return f"fusion   ({' + '.join(terms)}) ÷ ({most}) = {_number(hit.retrieval.fusion_score)}"


def _number(value: float | None) -> str:
    return "not given" if value is None else f"{value:.4f}"


def _print_drops(page: Page, trace: SearchTrace) -> None:
    page.line(f"a look-up would leave out {len(trace.dropped)} of these")
    for drop in trace.dropped[:EXPLAINED_DROPS]:
        of = f" of {drop.of}" if drop.of else ""
        page.line(f"rank {drop.rank}  {drop.reason}{of}  {shown(drop.uri)}", indent=2)
