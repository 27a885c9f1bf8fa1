"""How an evaluation and a comparison look on a terminal."""

from __future__ import annotations

import sys

from rag.evaluation.html_report import harm_in_words
from rag.surfaces.cli.terminal import Page, note, shown
from rag.wire.evaluation_records import Estimate, EvalComparison, EvalReport

_STEP = 100  # questions between two lines where there is no terminal


class EvalProgress:
    """Shows how far an evaluation is, on standard error; a bar on a terminal, lines elsewhere."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar = sys.stderr.isatty() and not quiet
        self._shown = ""

    def __call__(self, step: str, done: int, total: int) -> None:
        if self._quiet:
            return
        if self._bar:
            sys.stderr.write(f"\r\x1b[2K{step}: {done} of {total}")
            if done == total:
                sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
        elif done == total or done % _STEP == 0:
            note(f"{step}: {done} of {total}")


def print_report(report: EvalReport) -> None:
    """Print the tables of an evaluation."""
    page = Page()
    page.line(
        f"{shown(report.name)}: {report.documents:,} documents, {report.chunks:,} chunks; "
        f"embedder {report.embedder}; answerability profile {report.profile or 'none'}"
    )
    for warning in report.warnings:
        page.line(f"note: {shown(warning)}")
    page.line()
    measures = list(next(iter(report.retrieval.values())))
    page.table(
        [
            ("mode", *measures),
            *(
                (mode, *(interval(own[name]) for name in measures))
                for mode, own in report.retrieval.items()
            ),
        ]
    )
    said = harm_in_words(report)
    if said is not None:
        page.line(said)
    speed = report.latency
    page.line(
        f"look-up {speed.lookup_p50:.1f} ms at the median, {speed.lookup_p95:.1f} ms at the 95th "
        f"percentile; embedding {speed.embed_p50:.1f} ms"
    )
    page.line()
    levels = ("high", "medium", "low", "none")
    page.table(
        [
            ("questions", "count", *levels, "retry"),
            *(
                (
                    kind,
                    str(one.questions),
                    *(f"{one.levels[level]:.1%}" for level in levels),
                    "–" if one.retry is None else f"{one.retry:.1%}",
                )
                for kind, one in report.verdicts.items()
            ),
        ]
    )
    if report.answerability:
        page.line()
        page.table(
            [
                ("unanswered", "count", "AUROC", "Brier skill", "ECE"),
                *(
                    (
                        kind,
                        str(curve.separation.unanswered),
                        f"{curve.separation.auroc:.3f}",
                        f"{curve.separation.brier_skill:.2f}",
                        f"{curve.separation.ece:.3f}",
                    )
                    for kind, curve in report.answerability.items()
                ),
            ]
        )
    if report.budgets:
        page.line()
        page.table(
            [
                ("tokens allowed", "answers kept", "tokens used"),
                *(
                    (f"{one.budget:,}", interval(one.retained), f"{one.tokens:,.0f}")
                    for one in report.budgets
                ),
            ]
        )


def print_comparison(comparison: EvalComparison) -> None:
    """Print every measure that two reports share, and name those that only one has."""
    page = Page()
    page.table(
        [
            ("measure", "before", "after", "difference", "verdict"),
            *(
                (
                    one.measure,
                    f"{one.before:.4f}",
                    f"{one.after:.4f}",
                    f"{one.after - one.before:+.4f}",
                    "REGRESSION" if one.regression else one.verdict,
                )
                for one in comparison.differences
            ),
        ]
    )
    for report in ("before", "after"):
        alone = [one.measure for one in comparison.not_compared if one.only_in == report]
        if alone:
            page.line(f"not compared, only in {report}: {', '.join(alone)}")


def interval(one: Estimate) -> str:
    """Return a mean with its interval."""
    return f"{one.mean:.3f} ({one.low:.3f}–{one.high:.3f})"
