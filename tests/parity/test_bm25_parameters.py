"""``search.bm25_k1`` and ``search.bm25_b`` take effect in both stores."""

from __future__ import annotations

from pathlib import Path

import pytest

import rag
from rag.stores.local.bm25 import HEADING_WEIGHT
from rag.text import Analyzer
from tests.parity.okapi import Okapi

QUERY = "heron reed"
TEXTS = ("heron " * 5 + "reed", "heron in the reed " + "and far beyond it " * 9, "heron", "otter")


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (3.0, 0.1)])
@pytest.mark.parametrize(("store", "heading_weight"), [("base", HEADING_WEIGHT), ("kb.db", 1.0)])
@pytest.mark.scenario("knowledge-stores", "BM25 parameters take effect")
def test_scores_are_those_of_the_formula_with_the_parameters_of_the_settings(
    tmp_path: Path, store: str, heading_weight: float, k1: float, b: float
) -> None:
    settings = rag.load_settings(
        store={"uri": str(tmp_path / store)},
        embedding={"embedder": "none"},
        search={"bm25_k1": k1, "bm25_b": b},
    )
    analyzer = Analyzer()
    with rag.open(settings) as base:
        for number, text in enumerate(TEXTS):
            base.ingest_text(text, name=f"{number}.md")
        chunks = [c for d in base.documents() for c in base.parts.store.chunks(d.doc_id)]
        found = base.search(QUERY, mode="lexical").hits
    formula = Okapi(chunks, analyzer, heading_weight=heading_weight, k1=k1, b=b)
    terms = analyzer.query_terms(QUERY)
    assert len(found) == 3
    for hit in found:
        assert hit.score == pytest.approx(formula.score(terms, hit.chunk_id), rel=1e-6)
