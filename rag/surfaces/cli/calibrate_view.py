"""How a calibration looks on a terminal."""

from __future__ import annotations

from pathlib import Path

from rag.evaluation.calibrate import Calibration
from rag.evaluation.html_report import in_words
from rag.surfaces.cli.eval_view import interval
from rag.surfaces.cli.terminal import Page, shown


def print_calibration(found: Calibration, target: Path) -> None:
    """Print what each model is worth on questions left out of its fit, and the fusion chosen."""
    page = Page()
    profile = found.profile
    page.line(f"profile {shown(profile.name)}, in force from the next start; kept at {target}")
    page.line()
    rows: list[tuple[str, ...]] = [("signals", "against", "AUROC", "Brier skill", "ECE", "kept")]
    for name, score in found.scores.items():
        kept = "yes" if name in profile.models else "no: no skill"
        rows += [
            (
                name,
                kind,
                f"{one.auroc:.3f}",
                f"{one.brier_skill:.2f}",
                f"{one.ece:.3f}",
                kept,
            )
            for kind, one in score.separations.items()
        ]
    page.table(rows)
    page.line()
    if found.fusions is None or profile.fusion is None:
        page.line("No fusion was chosen: no question was answered by both channels.")
        return
    chosen = found.fusions.of(profile.fusion)
    before = found.fusions.of(found.fusion_before)
    page.line(
        f"Fusion {in_words(profile.fusion)}: nDCG@10 {interval(chosen.ndcg)} on "
        f"{found.fusions.questions} questions; before, {in_words(found.fusion_before)}: "
        f"{before.ndcg.mean:.3f}."
    )
