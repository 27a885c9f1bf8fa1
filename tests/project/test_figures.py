"""Figures that prose gives are those that the product shows, or that a result file holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rag
from rag.samples import handbook_path
from rag.surfaces.web.hit_rows import hit_rows
from tests.project.repository import ROOT, table_rows

RESULTS = ROOT / "benchmarks" / "results"
README = ROOT / "README.md"
PERFORMANCE = ROOT / "docs" / "performance.md"
QUESTION = "How long are backups kept?"

Figures = dict[str, Any]


def _three_aurocs(figures: Figures) -> str:
    summary = figures["summary"]
    return "; ".join(f"{summary[f'{kind}_auroc']['mean']:.3f}" for kind in _CONSTRUCTIONS)


def _ingest_rates(figures: Figures) -> str:
    rates = figures["ingest_chunks_per_s"]
    return f"{min(rates):.0f} to {max(rates):.0f} chunks a second"


def _gains(figures: Figures) -> str:
    scifact, tidb, kobest = (figures[name] for name in ("scifact", "tidb-faq-zh-a", "kobest-boolq"))
    ndcg = [scifact["lexical"], scifact["hybrid"], tidb["hybrid"], kobest["hybrid"]]
    return "; ".join(f"{one['nDCG@10']:.3f}" for one in ndcg)


_CONSTRUCTIONS = ("cross", "removed", "given")
# What a row's figure is, by a few words of the row; a row that is not here fails the test.
FIGURES: dict[str, Callable[[Figures], str]] = {
    "a whole look-up on Milvus Lite": lambda f: f"{f['ratio_of_medians']:.2f} × the time",
    "everything after the store": lambda f: (
        f"{f['after_store']['texts_seen_median_ms']:.2f} ms;"
        f" {f['after_store']['texts_new_median_ms']:.2f} ms"
    ),
    "ingest against a loop": lambda f: f"{f['median_share']:.0%} of its rate".replace("%", " %"),
    "everything included": _ingest_rates,
    "hybrid search, median": lambda f: (
        f"{f['hybrid']['median_ms']:.0f} ms; {f['hybrid']['p95_ms']:.0f} ms"
    ),
    "first hybrid search": lambda f: f"{f['first_query']['open_and_first_hybrid_s']:.2f} s",
    "memory of a process": lambda f: f"{f['peak_memory_mb']} MB; {f['bytes_on_disk'] / 1e6:.0f} MB",
    "writing, with the hashing": lambda f: f"{f['ingest']['chunks_per_second']:,} chunks a second",
    "against the embedder alone": lambda f: (
        f"{f['median_local_share_of_embedder']:.0%} of its rate".replace("%", " %")
    ),
    "as a whole process": lambda f: (
        f"{f['processes_s']['rag lookup']:.2f} s; {f['unchanged_ingest_s']:.2f} s"
    ),
    "`rag serve`": lambda f: (
        f"{f['bounds']['throughput_over_loop']['measured']:.2f} ×;"
        f" {f['bounds']['p95_over_single_median']['measured']:.1f} ×"
    ),
    "beyond the look-up itself": lambda f: f"{f['beyond_it']['median_ms']:.1f} ms",
    "hybrid look-up, median: local": lambda f: (
        f"{f['hybrid_look_up']['local_median_ms']:.0f} ms;"
        f" {f['hybrid_look_up']['milvus_lite_median_ms']:.0f} ms"
    ),
    "chunks taken in a second: local": lambda f: (
        f"{f['ingest']['local_chunks_per_s']:,}; {f['ingest']['milvus_lite_chunks_per_s']:,}"
    ),
    "nDCG@10": _gains,
    "both stores over SciFact": lambda f: (
        f"{f['scifact']['vector']['overlap_at_10']:.0%};"
        f" {f['scifact']['lexical']['overlap_at_10']:.0%}".replace("%", " %")
    ),
    "a question that the base answers": _three_aurocs,
}


def _result(cell: str) -> Path:
    (link,) = re.findall(r"\]\((\.\./benchmarks/results/[^)]+\.json)\)", cell)
    return (PERFORMANCE.parent / link).resolve()


def _figures(path: Path) -> Figures:
    figures: Figures = json.loads(path.read_text("utf-8"))["figures"]
    return figures


def _newest(benchmark: str) -> Path:
    runs = {path: json.loads(path.read_text("utf-8")) for path in RESULTS.glob("*.json")}
    dates = {path: run["date"] for path, run in runs.items() if run.get("benchmark") == benchmark}
    return max(dates, key=lambda path: dates[path])


@pytest.mark.parametrize(
    "row", table_rows(PERFORMANCE, "## What it costs"), ids=lambda row: row[0][:40]
)
def test_a_figure_of_the_performance_page_is_what_the_newest_run_measured(row: tuple[str, ...]):
    measured, figure, link = row
    (of_row,) = [formula for words, formula in FIGURES.items() if words in measured]
    result = _result(link)
    assert figure == of_row(_figures(result))
    assert result == _newest(json.loads(result.read_text("utf-8"))["benchmark"])


def test_the_stores_are_compared_by_the_figures_of_one_run():
    costs = {row[0]: row[1] for row in table_rows(PERFORMANCE, "## What it costs")}
    stores = {row[0]: row[1:3] for row in table_rows(README, "## Which store?")}
    for compared, measured in (
        ("hybrid look-up over 100,000", "both stores side by side"),
        ("chunks taken in a second", "the same: chunks taken in a second"),
    ):
        (of_stores,) = [cells for name, cells in stores.items() if name.startswith(compared)]
        (of_costs,) = [figure for name, figure in costs.items() if name.startswith(measured)]
        assert "; ".join(of_stores) == of_costs


def test_no_other_page_repeats_a_figure_of_the_local_store():
    """Two places for one figure come to contradict one another."""
    figures = [row[1] for row in table_rows(PERFORMANCE, "## What it costs")]
    single = {one.strip() for figure in figures for one in figure.split(";")}
    timed = {one for one in single if re.fullmatch(r"[\d.,]+ (?:ms|MB|chunks a second)", one)}
    assert timed
    for page in set((ROOT / "docs").glob("*.md")) - {PERFORMANCE}:
        words = page.read_text("utf-8")
        assert [one for one in timed if re.search(rf"(?<![\d.,]){re.escape(one)}", words)] == []


def test_the_disk_that_a_chunk_takes_is_what_was_measured():
    figures = _figures(_newest("local-store-100000"))
    per_chunk = figures["bytes_on_disk"] / figures["chunks"] / 1e3
    assert f"about {per_chunk:.1f} kB a chunk" in (ROOT / "docs/operations.md").read_text("utf-8")


def test_the_inspector_page_shows_a_fusion_sum_that_the_inspector_shows(tmp_path: Path):
    with rag.open(rag.load_settings(store={"uri": str(tmp_path / "kb")})) as base:
        base.ingest(handbook_path())
        rows = hit_rows(base.search(QUESTION, k=3, trace=True), base.lookup(QUESTION, k=3))
    (second,) = [row.fusion for row in rows if (row.lexical.rank, row.vector.rank) == (2, 3)]
    assert f"`{second}`" in (ROOT / "docs/inspector.md").read_text("utf-8")
