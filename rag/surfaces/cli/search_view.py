"""How a page of hits looks on a terminal."""

from __future__ import annotations

from rich.text import Text

from rag.ranking.records import Channel
from rag.surfaces.cli.terminal import shown, stdout_console
from rag.wire.search_response import ResultHit, SearchResult, SearchTrace

BAR_CELLS = 10
EXPLAINED_DROPS = 20


def quality_bar(quality: float) -> str:
    """Return a quality as a small bar with its number: ``█████░░░░░ 0.50``."""
    full = round(quality * BAR_CELLS)
    return "█" * full + "░" * (BAR_CELLS - full) + f" {quality:.2f}"


def channel_line(name: str, status: str, count: int, detail: str | None) -> str:
    """Return what a channel did in words."""
    said = f"{name}: {count} candidates" if status == "ok" else f"{name}: {status}"
    return f"{said} ({detail})" if detail else said


def print_search(result: SearchResult) -> None:
    """Print hits in rank order, then what the channels did and how to go on."""
    console = stdout_console()
    if not result.hits:
        empty = "the index is empty; ingest something first" if result.index_empty else "no hits"
        console.print(empty, markup=False)
    for hit in result.hits:
        console.print(_headline(hit))
        if result.trace is not None:
            for line in _explanation(hit, result.trace):
                console.print(f"    {line}", markup=False, style="dim")
        if hit.snippet is not None:
            console.print(_snippet(hit), style=None)
        console.print()
    channels = " · ".join(
        channel_line(name, c.status, c.count, c.detail) for name, c in result.channels.items()
    )
    console.print(f"{result.mode}; {channels}; {result.took_ms:.0f} ms", markup=False, style="dim")
    for warning in result.warnings:
        console.print(f"note: {shown(warning)}", markup=False)
    if result.trace is not None:
        _print_drops(result.trace)
    if result.next_cursor:
        console.print(f"more: --cursor {result.next_cursor}", markup=False, style="dim")


def _headline(hit: ResultHit) -> Text:
    line = Text(f"{hit.rank:3}  ")
    line.append(quality_bar(hit.quality), style="green")
    line.append(f"  {shown(hit.citation.ref)}", style="bold")
    headings = " > ".join(hit.heading_path) or hit.title
    line.append(f"  {shown(headings)}")
    if hit.stale:
        line.append("  stale", style="yellow")
    return line


def _snippet(hit: ResultHit) -> Text:
    assert hit.snippet is not None
    text = Text("     ")
    body = Text(shown(hit.snippet.text).replace("\n", " "))
    for start, end in hit.snippet.matches:
        body.stylize("bold cyan", start, end)
    return text + body


def _explanation(hit: ResultHit, trace: SearchTrace) -> list[str]:
    detail = hit.retrieval
    lines = [
        _channel_said("lexical", detail.lexical_rank, detail.lexical_score, "BM25"),
        _channel_said("vector", detail.vector_rank, detail.vector_score, "cosine"),
    ]
    if detail.fusion_score is not None:
        lines.append(_fusion_sum(hit, trace))
    else:
        lines.append(f"score {_number(hit.score)} ({hit.score_kind})")
    return lines


def _channel_said(name: str, rank: int | None, score: float | None, unit: str) -> str:
    if rank is None:
        return f"{name:8} not among its candidates"
    return f"{name:8} rank {rank}, {unit} {_number(score)}"


def _fusion_sum(hit: ResultHit, trace: SearchTrace) -> str:
    ranks = {
        Channel.LEXICAL: hit.retrieval.lexical_rank,
        Channel.VECTOR: hit.retrieval.vector_rank,
    }
    terms = [
        f"{trace.weights[channel]:g}/({trace.rrf_k}+{rank})"
        for channel, rank in ranks.items()
        if rank is not None and channel in trace.weights
    ]
    most = " + ".join(f"{weight:g}/({trace.rrf_k}+1)" for weight in trace.weights.values())
    return f"fusion   ({' + '.join(terms)}) / ({most}) = {_number(hit.retrieval.fusion_score)}"


def _number(value: float | None) -> str:
    return "not given" if value is None else f"{value:.4f}"


def _print_drops(trace: SearchTrace) -> None:
    console = stdout_console()
    console.print(f"a look-up would drop {len(trace.dropped)} of these", markup=False)
    for drop in trace.dropped[:EXPLAINED_DROPS]:
        of = f" of {drop.of}" if drop.of else ""
        console.print(f"  rank {drop.rank}  {drop.reason}{of}  {shown(drop.uri)}", markup=False)
