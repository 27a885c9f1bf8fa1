"""A fresh base with the default embedder refuses gibberish and other subjects, and answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import rag
from rag.samples import handbook_path

RRF_60 = {"search": {"rrf_k": 60}}


def settings(folder: object, **sections: object) -> rag.Settings:
    return rag.load_settings(
        **{"store": {"uri": f"{folder}/base"}, "embedding": {"cache": False}, **sections}
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("handbook")
    with rag.open(settings(folder)) as base:
        base.ingest(handbook_path())
    return folder


@pytest.fixture(scope="module")
def handbook(folder: object) -> Iterator[rag.KnowledgeBase]:
    with rag.open(settings(folder)) as base:
        yield base


@pytest.mark.scenario("calibration", "Gibberish in three languages")
@pytest.mark.parametrize("gibberish", ["asdkjh qwoeiu zxcm", "䶮龘 靐齉", "꿻뛟쀍 쩗뚫"])
def test_gibberish_is_refused_without_retry(handbook: rag.KnowledgeBase, gibberish: str):
    result = handbook.lookup(gibberish)
    assert result.relevance_level in ("none", "low")
    assert (result.reason, result.level_basis) == ("off_topic", "calibrated")
    assert result.retry.should_retry is False
    assert "Backups" in result.retry.hint


@pytest.mark.scenario("calibration", "Questions of another subject in three languages")
@pytest.mark.parametrize(
    "question",
    ["what is the melting point of tungsten?", "明天天气怎么样？", "김치찌개 끓이는 법"],
)
def test_another_subject_is_refused_without_retry(handbook: rag.KnowledgeBase, question: str):
    result = handbook.lookup(question)
    assert result.relevance_level in ("none", "low")
    assert result.retry.should_retry is False
    assert "%" in result.message


@pytest.mark.scenario("calibration", "Questions that the handbook answers")
@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("How long are backups kept?", "backups.md"),
        ("备份保留多久？", "zh/backups.md"),
        ("장애 호출은 몇 분 안에 확인해야 합니까?", "ko/incidents.md"),
    ],
)
def test_what_the_handbook_answers_is_relevant(
    handbook: rag.KnowledgeBase, question: str, page: str
):
    result = handbook.lookup(question)
    assert result.relevance_level in ("medium", "high")
    assert (result.level_basis, result.evidence[0].citation.uri) == ("calibrated", page)
    assert result.answerability is not None
    assert set(result.answerability) == {"probability", "on_topic", "profile", "basis"}
    assert 0 < result.answerability["probability"] <= result.answerability["on_topic"] < 1


@pytest.mark.parametrize("keyword", ["backups", "备份", "备份 恢复", "장애 호출"])
def test_a_keyword_of_the_handbook_is_not_refused(handbook: rag.KnowledgeBase, keyword: str):
    assert handbook.lookup(keyword).relevance_level != "none"


@pytest.mark.scenario("calibration", "A question of a script without spaces")
def test_each_question_is_judged_by_the_model_of_its_signals(handbook: rag.KnowledgeBase):
    english, chinese = (
        handbook.lookup(question).answerability
        for question in ("How long are backups kept?", "备份保留多久？")
    )
    assert english is not None
    assert chinese is not None
    assert (english["basis"], chinese["basis"]) == ("words+vectors", "bigrams")


@pytest.mark.scenario("calibration", "The same evidence with and without a profile")
def test_a_profile_changes_the_verdict_and_nothing_else(folder: object):
    found = []
    for profile in ("auto", "none"):
        with rag.open(settings(folder, answerability={"profile": profile}, **RRF_60)) as base:
            found.append(base.lookup("who signs off a restore?"))
    with_profile, without = found
    assert with_profile.evidence == without.evidence
    assert with_profile.context == without.context
    assert (with_profile.level_basis, without.level_basis) == ("calibrated", "ordinal")
    assert without.answerability is None


@pytest.mark.scenario("calibration", "An explicit constant")
def test_an_explicit_constant_is_kept(folder: object):
    with rag.open(settings(folder, **RRF_60)) as base:
        hit = base.search("rotate signing keys").hits[0]
    detail = hit.retrieval
    assert detail.lexical_rank is not None
    assert detail.vector_rank is not None
    summed = 1 / (60 + detail.lexical_rank) + 1 / (60 + detail.vector_rank)
    assert hit.score == pytest.approx(summed / (2 / 61))
    assert hit.score_kind == "rrf"


def test_the_shipped_fusion_serves_where_no_setting_is_given(handbook: rag.KnowledgeBase):
    search = handbook.settings.search
    assert (search.fusion, search.rrf_k != 60) == ("rrf", True)
    result = handbook.search("rotate signing keys", trace=True)
    assert result.trace is not None
    assert result.trace.rrf_k == search.rrf_k


def test_a_batch_is_judged_question_by_question(handbook: rag.KnowledgeBase):
    batch = handbook.lookup_many(["How long are backups kept?", "best recipe for carrot cake"])
    first, second = batch.results
    assert first is not None
    assert second is not None
    assert (first.reason, second.reason) == ("ok", "off_topic")


def test_titles_of_another_tenant_are_not_told(tmp_path: object):
    with rag.open(settings(tmp_path, embedding={"embedder": "none"})) as base:
        base.ingest_text("# Ours\n\nGreen tea.\n", name="a.md", tenant="us", source="a")
        base.ingest_text("# Theirs\n\nBlack tea.\n", name="b.md", tenant="them", source="b")
        result = base.lookup("asdkjh qwoeiu zxcm", filters={"tenant": "us"})
    assert "Ours" in result.retry.hint
    assert "Theirs" not in result.retry.hint


@pytest.mark.scenario("calibration", "A base without a profile")
def test_without_a_profile_the_level_is_ordinal(tmp_path: object):
    with rag.open(settings(tmp_path, embedding={"embedder": "hashing"})) as base:
        base.ingest_text("# Tea\n\nGreen tea steeps for two minutes.\n", name="tea.md")
        result = base.lookup("green tea")
    assert (result.answerability, result.level_basis) == (None, "ordinal")
