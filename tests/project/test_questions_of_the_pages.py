"""A question that a page asks of the sample handbook gets the verdict that the page gives it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import rag
from rag.samples import handbook_path
from tests.project.repository import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWN = [
    *PAGES,
    *sorted((ROOT / "examples").glob("*.py")),
    ROOT / "rag/surfaces/http_api/openapi_examples.py",
]
QUESTION = re.compile(r"[\"']([^\"'`\n]{6,}[?？])[\"']")
REFUSED = {"What is the capital of Mongolia?", "what is the melting point of tungsten?"}
OF_ANOTHER_BASE = {
    "How do I declare a path parameter?",
    "How do I reset my password?",
    "What is C++?",
    "如何在 Kubernetes 上部署 TiDB Operator？",
}


def _questions() -> set[str]:
    found = {match for page in SHOWN for match in QUESTION.findall(page.read_text("utf-8"))}
    return found - OF_ANOTHER_BASE


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rag.KnowledgeBase]:
    settings = rag.load_settings(store={"uri": str(tmp_path_factory.mktemp("base") / "kb")})
    with rag.open(settings) as base:
        base.ingest(handbook_path())
        yield base


@pytest.mark.parametrize("question", sorted(_questions()))
def test_a_question_gets_what_the_page_says(handbook: rag.KnowledgeBase, question: str):
    """The handbook is small and a profile is fitted anew at times, so that a level may move."""
    result = handbook.lookup(question)
    assert result.level_basis == "calibrated"
    if question in REFUSED:
        assert (result.relevance_level, result.reason) == ("none", "off_topic")
    else:
        assert result.relevance_level in ("medium", "high")
        assert not result.retry.should_retry


def test_every_refused_question_is_asked_on_some_page():
    assert _questions() >= REFUSED
