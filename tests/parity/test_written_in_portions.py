"""Milvus Lite scores words by the statistics of each flushed portion, the local store by all."""

from __future__ import annotations

from pathlib import Path

import pytest

import rag
from rag.stores.local.bm25 import HEADING_WEIGHT
from rag.stores.milvus.connection import UNFLUSHED_ROWS
from rag.text import Analyzer
from tests.parity.agreement import SINGLE_PRECISION
from tests.parity.okapi import Okapi

PORTION = UNFLUSHED_ROWS + 8  # chunks, so that the search after them flushes them
WORDS = ("plover", "stint", "knot", "ruff", "dunlin", "godwit")
QUESTIONS = ("plover stint", "knot ruff godwit", "dunlin")


def chunk_text(number: int) -> str:
    """Return one line, longer and with other words as the numbers grow."""
    return " ".join(WORDS[number * step % len(WORDS)] for step in range(1, 3 + number // 9))


@pytest.mark.parametrize("store", ["base", "kb.db"])
def test_each_score_is_the_formulas_with_the_statistics_that_the_store_keeps(
    tmp_path: Path, store: str
) -> None:
    settings = rag.load_settings(
        store={"uri": str(tmp_path / store)}, embedding={"embedder": "none"}
    )
    analyzer = Analyzer()
    with rag.open(settings) as base:
        for portion in range(2):
            folder = tmp_path / f"portion{portion}"
            folder.mkdir()
            for number in range(portion * PORTION, (portion + 1) * PORTION):
                (folder / f"{number}.md").write_text(chunk_text(number) + "\n", "utf-8")
            base.ingest(folder, source=folder.name)
            base.search("plover", mode="lexical")
        chunks = [c for d in base.documents() for c in base.parts.store.chunks(d.doc_id)]
        answers = [base.search(text, mode="lexical", k=100).hits for text in QUESTIONS]
    if store == "base":
        formulas = [Okapi(chunks, analyzer, heading_weight=HEADING_WEIGHT)]
    else:
        formulas = [
            Okapi((c for c in chunks if c.source == source), analyzer, heading_weight=1.0)
            for source in ("portion0", "portion1")
        ]
    for text, hits in zip(QUESTIONS, answers, strict=True):
        assert len(hits) > PORTION // 2
        for hit in hits:
            (formula,) = [one for one in formulas if hit.chunk_id in one]
            right = formula.score(analyzer.query_terms(text), hit.chunk_id)
            assert hit.score == pytest.approx(right, rel=SINGLE_PRECISION)
