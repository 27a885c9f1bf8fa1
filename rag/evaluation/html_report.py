"""An evaluation as one self-contained HTML page: tables, plots, the worst questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from rag.answerability import FusionChoice
from rag.evaluation.svg_plots import Series, bars, plot
from rag.wire.evaluation_records import Estimate, EvalReport, QuestionOutcome

WORST = 20  # questions shown: as many as one reads
SHOWN_HARM = 0.0005  # what three places show
DOTS = 1_000  # of a scatter; more hide each other

_STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--dim:#667084;--line:#d9dee7;--back:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ef;--dim:#98a2b3;--line:#333c4a;--back:#12161d}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);margin:2rem auto;
max-width:72rem;padding:0 1rem}h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.25rem .8rem;
border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th:first-child,td:first-child,td.text{text-align:left}small,.dim{color:var(--dim)}
.plots{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0}figcaption{color:var(--dim);
font-size:.85rem;max-width:340px}svg text{font:11px system-ui,sans-serif;fill:var(--ink)}
svg .tick{text-anchor:middle;fill:var(--dim)}svg .end{text-anchor:end}svg .grid{stroke:var(--line)}
svg .honest{stroke:var(--dim);stroke-dasharray:4 3}svg text.inside{fill:#fff}
.level-high{fill:#2e7d4f}.level-medium{fill:#a8791b}.level-low{fill:#b4472e}.level-none{fill:#6b7280}
""".replace("\n", "")


def html_report(report: EvalReport) -> str:
    """Return the page; every text from the base or the questions is escaped."""
    sections = [
        f"<h1>Evaluation of {escape(report.name)}</h1>",
        f"<p class=dim>{escape(report.date)} · rag {escape(report.rag_version)} · store"
        f" {escape(report.store)} · {report.documents:,} documents, {report.chunks:,} chunks ·"
        f" analyser {escape(report.analyzer)} · embedder {escape(report.embedder)} ·"
        f" answerability profile {escape(report.profile or 'none')}</p>",
        *(f"<p><b>Note:</b> {escape(warning)}</p>" for warning in report.warnings),
        "<h2>Retrieval</h2>",
        _retrieval(report),
        _fusion(report),
        "<h2>Verdicts</h2>",
        _verdicts(report),
        _answerability(report),
        _budgets(report),
        _questions(report),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(report.name)}: evaluation</title><style>{_STYLE}</style></head><body>"
        f"{''.join(sections)}</body></html>\n"
    )


def in_words(choice: FusionChoice) -> str:
    """Return a fusion in words, such as ``rrf k=60, weights 1 and 0.5``."""
    weights = f"weights {choice.lexical_weight:g} lexical and {choice.vector_weight:g} vector"
    return f"minmax, {weights}" if choice.kind == "minmax" else f"rrf k={choice.k}, {weights}"


def harm_in_words(report: EvalReport) -> str | None:
    """Say whether hybrid is worse than its better channel, and what would serve; else None."""
    if report.harm is None or report.fusions is None or report.fusion_advised is None:
        return None
    compared, advised = report.fusions, report.fusion_advised
    better = max(("lexical", "vector"), key=lambda name: getattr(compared, name).mean)
    standing = "as good as"
    if abs(report.harm) >= SHOWN_HARM:
        standing = f"{abs(report.harm):.3f} nDCG@10 {'below' if report.harm > 0 else 'above'}"
    said = (
        f"Hybrid is {standing} {better} alone on the {compared.questions} questions that both "
        "channels answer."
    )
    if advised == report.fusion_in_force:
        return f"{said} No fusion tried is better than the one in force."
    gain = compared.of(advised).ndcg.mean - compared.of(report.fusion_in_force).ndcg.mean
    return f"{said} Calibrating would choose {in_words(advised)}: {gain:+.3f}."


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    titles = "".join(f"<th>{escape(one)}</th>" for one in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _shown(one: Estimate) -> str:
    return f"{one.mean:.3f} <small>{one.low:.3f}–{one.high:.3f}</small>"


def _retrieval(report: EvalReport) -> str:
    measures = list(next(iter(report.retrieval.values())))
    rows = [
        [escape(mode), *(_shown(own[name]) for name in measures)]
        for mode, own in report.retrieval.items()
    ]
    count = report.questions["answerable"]
    speed = report.latency
    return (
        _table(["mode", *measures], rows)
        + f"<p class=dim>{count} answerable questions; means with 95 % bootstrap intervals."
        f" A look-up takes {speed.lookup_p50:.0f} ms at the median, {speed.lookup_p95:.0f} ms at"
        f" the 95th percentile, of which {speed.embed_p50:.0f} ms embed the question.</p>"
    )


def _fusion(report: EvalReport) -> str:
    said = harm_in_words(report)
    if said is None or report.fusions is None:
        return ""
    ordered = sorted(report.fusions.fusions, key=lambda one: -one.ndcg.mean)
    shown = [*ordered[:5], report.fusions.of(report.fusion_in_force)]
    rows = [
        [
            escape(in_words(one.choice))
            + (" · in force" if one.choice == report.fusion_in_force else ""),
            _shown(one.ndcg),
            f"{-one.harm:+.3f}",
        ]
        for one in dict.fromkeys(shown)
    ]
    alone = [
        [f"{name} alone", _shown(getattr(report.fusions, name)), ""]
        for name in ("lexical", "vector")
    ]
    table = _table(["fusion", "nDCG@10", "against the better channel"], [*alone, *rows])
    return f"<h2>Fusion</h2><p>{escape(said)}</p>{table}"


def _verdicts(report: EvalReport) -> str:
    rows = [(name, list(own.levels.items())) for name, own in report.verdicts.items()]
    table = _table(
        ["questions", "count", "advised to retry"],
        [
            [name, str(own.questions), "–" if own.retry is None else f"{own.retry:.1%}"]
            for name, own in report.verdicts.items()
        ],
    )
    return f"{bars(rows)}{table}"


def _answerability(report: EvalReport) -> str:
    if not report.answerability:
        return (
            "<p>No answerability profile holds for this base, so its levels are not calibrated.</p>"
        )
    rows = [
        [
            name,
            str(curve.separation.unanswered),
            f"{curve.separation.auroc:.3f}",
            f"{curve.separation.brier_skill:.2f}",
            f"{curve.separation.ece:.3f}",
        ]
        for name, curve in report.answerability.items()
    ]
    reliable = [
        Series(
            label=name,
            points=[(mean, rate) for mean, rate, _ in curve.reliability],
            sizes=[2 + 10 * weight**0.5 for *_, weight in curve.reliability],
        )
        for name, curve in report.answerability.items()
    ]
    risky = [
        Series(label=name, points=curve.risk_coverage, sizes=[1.5] * len(curve.risk_coverage))
        for name, curve in report.answerability.items()
    ]
    return (
        "<h2>Answerability</h2>"
        + _table(["unanswered questions", "count", "AUROC", "Brier skill", "ECE"], rows)
        + "<div class=plots>"
        + _figure(
            plot(reliable, x_label="probability said", y_label="share answered", diagonal=True),
            "Reliability: on the dashed line, what is said comes true. Larger dots hold more.",
        )
        + _figure(
            plot(risky, x_label="share of questions accepted", y_label="share unanswered of them"),
            "Risk against coverage: what accepting only the likeliest questions buys.",
        )
        + "</div>"
    )


def _budgets(report: EvalReport) -> str:
    if not report.budgets:
        return ""
    rows = [
        [f"{one.budget:,}", _shown(one.retained), f"{one.tokens:,.0f}"] for one in report.budgets
    ]
    most = max(one.budget for one in report.budgets)
    curve = Series(
        label="retained", points=[(one.budget, one.retained.mean) for one in report.budgets]
    )
    figure = _figure(
        plot([curve], x_label="token budget", y_label="answers kept", x_range=(0, most)),
        "Share of questions whose packed evidence still holds a relevant chunk.",
    )
    return (
        "<h2>Budget</h2>"
        + _table(["tokens allowed", "answers kept", "tokens used"], rows)
        + f"<div class=plots>{figure}</div>"
    )


def _questions(report: EvalReport) -> str:
    outcomes = report.outcomes
    other = "vector" if "vector" in report.retrieval else "hybrid"
    dots = Series(
        label="questions",
        points=[(one.ndcg["lexical"], one.ndcg[other]) for one in outcomes[:DOTS]]
        if "lexical" in report.retrieval
        else [],
        line=False,
        titles=[one.text for one in outcomes[:DOTS]],
    )
    worst = sorted(outcomes, key=lambda one: (one.ndcg["hybrid"], one.question_id))[:WORST]
    scatter = _figure(
        plot([dots], x_label="lexical nDCG@10", y_label=f"{other} nDCG@10", diagonal=True),
        "Every question once: what each channel makes of it. Point at a dot to read it.",
    )
    return f"<h2>Questions</h2><div class=plots>{scatter}</div><h2>Worst questions</h2>" + _table(
        ["question", "nDCG@10", "probability", "relevant", "found first"], map(_row, worst)
    )


def _row(one: QuestionOutcome) -> list[str]:
    return [
        escape(one.text),
        f"{one.ndcg['hybrid']:.2f}",
        "–" if one.probability is None else f"{one.probability:.2f}",
        "<br>".join(map(escape, one.relevant[:5])),
        "<br>".join(map(escape, one.hits)),
    ]


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
