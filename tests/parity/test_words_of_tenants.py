"""Which chunks a word is counted in, where a base holds several tenants."""

from __future__ import annotations

from pathlib import Path

import pytest

import rag
from rag.stores.local.bm25 import HEADING_WEIGHT
from rag.text import Analyzer
from tests.parity.okapi import Okapi

QUERY = "walrus otter puffin"
OWN = ("walrus herring otter", "puffin otter")
OTHERS = tuple(f"walrus number {at} among many other words" for at in range(9))


@pytest.mark.parametrize(
    ("store", "heading_weight", "counted"), [("base", HEADING_WEIGHT, "a"), ("kb.db", 1.0, "ab")]
)
@pytest.mark.scenario("knowledge-stores", "The words of several tenants")
def test_a_tenants_words_are_counted_in_its_own_chunks_or_in_all(
    tmp_path: Path, store: str, heading_weight: float, counted: str
):
    settings = rag.load_settings(
        store={"uri": str(tmp_path / store)}, embedding={"embedder": "none"}
    )
    analyzer = Analyzer()
    with rag.open(settings) as base:
        for tenant, texts in (("a", OWN), ("b", OTHERS)):
            for number, text in enumerate(texts):
                base.ingest_text(text, name=f"{number}.md", tenant=tenant, source=tenant)
        corpus = [
            chunk
            for tenant in counted
            for document in base.documents({"tenant": tenant})
            for chunk in base.parts.store.chunks(document.doc_id)
        ]
        found = base.search(QUERY, mode="lexical", filters={"tenant": "a"}).hits
    formula = Okapi(corpus, analyzer, heading_weight=heading_weight)
    assert len(found) == len(OWN)
    for hit in found:
        expected = formula.score(analyzer.query_terms(QUERY), hit.chunk_id)
        assert hit.score == pytest.approx(expected, rel=1e-6)
