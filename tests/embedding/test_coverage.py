from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.embedding import covers
from rag.text import Script

LATIN = frozenset({Script.LATIN})


@pytest.mark.scenario("embedding", "Chinese question with product names")
@pytest.mark.parametrize(
    "question",
    [
        "如何在 Kubernetes 上部署 TiDB Operator？",
        "DM 是否支持迁移阿里 RDS 的数据？",
        "TiDB 如何",
        "쿼리 매개변수 기본값",
        "FastAPI에서 Query 매개변수의 기본값은?",
        "クエリパラメータ",
        "столица России",
    ],
)
def test_a_question_in_another_script_is_not_covered_for_all_its_latin_names(question: str) -> None:
    assert not covers(LATIN, question)


@pytest.mark.scenario("embedding", "English text that quotes a Chinese word")
@pytest.mark.parametrize(
    "text",
    [
        "The word 你好 means hello in Mandarin Chinese",
        "β-catenin signalling in tumours",
        "Ångström, Zürich, naïve and łódź are Latin",
    ],
)
def test_a_latin_text_with_a_foreign_word_is_covered(text: str) -> None:
    assert covers(LATIN, text)


@pytest.mark.scenario("embedding", "A quarter exactly")
def test_the_limit_is_a_quarter_of_the_weight() -> None:
    assert 2 * 2.5 / (2 * 2.5 + 15) == 0.25
    assert covers(LATIN, "漢字" + "x" * 15)
    assert not covers(LATIN, "漢字" + "x" * 14)


@pytest.mark.scenario("embedding", "Text without letters")
@pytest.mark.parametrize("text", ["1234 + 56 = ?", "", "  \n", "😀", "١٢٣"])
def test_a_text_without_letters_is_covered(text: str) -> None:
    assert covers(LATIN, text)


def test_an_ascii_text_is_not_covered_by_a_model_without_latin() -> None:
    assert not covers(frozenset({Script.HAN}), "hello")
    assert covers(frozenset({Script.HAN}), "42")


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_a_model_for_all_scripts_covers_every_text(text: str) -> None:
    assert covers(None, text)
    assert covers(frozenset(Script), text)
