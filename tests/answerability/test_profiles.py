"""Which profile holds for a base, and what its numbers say."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import rag
from rag.answerability import AnswerabilityEstimator, Signals, read_profile, shipped_profile
from rag.answerability.choose_profile import choose_profile, expiry
from rag.answerability.logistic_model import LogisticModel
from rag.answerability.profile import parse_profile
from rag.embedding import EmbedderIdentity
from rag.errors import ConfigError
from rag.maintenance.diagnosis import diagnose
from tests.answerability.lists import ANALYZER, HASHING, lists, profile, ranking

OTHER = EmbedderIdentity(name="other", revision="1", dimensions=8)


def test_a_logistic_model_is_its_formula():
    model = LogisticModel(
        features=("a", "b"), means=(1.0, 2.0), scales=(0.5, 4.0), coefficients=(2.0, -1.0),
        intercept=0.25,
    )  # fmt: skip
    z = 0.25 + 2 * (1.5 - 1) / 0.5 - 1 * (6 - 2) / 4
    assert model.probability({"a": 1.5, "b": 6.0}) == pytest.approx(1 / (1 + math.exp(-z)))


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan])
def test_a_model_with_a_useless_scale_is_refused(scale: float):
    with pytest.raises(ValueError, match="scale"):
        LogisticModel(
            features=("a",), means=(0.0,), scales=(scale,), coefficients=(1.0,), intercept=0.0
        )


def test_a_profile_survives_its_file():
    written = replace(profile(index="1@now"), measured={"cross": 0.99}, corpora=("x",))
    assert parse_profile(written.to_json()) == written


def test_the_shipped_profile_serves_every_kind_of_signals_and_the_default_embedder():
    shipped = shipped_profile()
    assert set(shipped.models) == set(Signals)
    assert shipped.analyzer == ANALYZER
    assert shipped.embedder is not None
    assert shipped.embedder.name == "all-MiniLM-L6-v2"
    assert shipped.fusion is not None
    assert shipped.fusion.kind == "rrf"
    for model in shipped.models.values():
        assert 0 < model.none < 0.5
        assert 0 < model.medium < model.high < 1


@pytest.mark.parametrize(
    ("given", "signals"),
    [
        (lists(ranking(("a", 1.0)), ranking(("a", 0.5))), Signals.SCORES_AND_VECTORS),
        (lists(ranking(("a", 1.0))), Signals.SCORES),
        (lists(None, ranking(("a", 0.5))), Signals.VECTORS),
    ],
)
def test_the_result_says_which_signals_served(given, signals):
    found = AnswerabilityEstimator(profile()).judge(given)
    assert found is not None
    assert found.basis is signals


def test_no_model_and_no_channel_give_no_signal():
    bare = replace(profile(), models={})
    assert AnswerabilityEstimator(bare).judge(lists(ranking(("a", 1.0)))) is None
    assert AnswerabilityEstimator(profile()).judge(lists()) is None


def test_auto_takes_the_shipped_profile_for_its_embedder_and_none_for_another():
    shipped = shipped_profile()
    fits = choose_profile("auto", None, analyzer=ANALYZER, embedder=shipped.embedder)
    assert fits.profile == shipped
    assert choose_profile("auto", None, analyzer=ANALYZER, embedder=OTHER).profile is None
    assert choose_profile("auto", None, analyzer="else", embedder=None).profile is None
    words = choose_profile("auto", None, analyzer=ANALYZER, embedder=None)
    assert words.profile == shipped  # its models of words need no vectors


def test_none_means_none(tmp_path: Path):
    own = tmp_path / "answerability.json"
    own.write_text(profile().to_json(), "utf-8")
    assert choose_profile("none", own, analyzer=ANALYZER, embedder=HASHING).profile is None


@pytest.mark.scenario("calibration", "A named profile of another embedder")
def test_a_named_profile_of_another_embedder_is_refused(tmp_path: Path):
    named = tmp_path / "other.json"
    named.write_text(profile(embedder=OTHER).to_json(), "utf-8")
    with pytest.raises(ConfigError) as refused:
        rag.open(settings(tmp_path, profile=str(named)))
    assert str(OTHER) in refused.value.message
    assert str(HASHING) in refused.value.message


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "else"}', '{"format": "rag_answerability_profile.v1"}']
)
def test_a_file_that_is_no_profile_is_a_typed_error(tmp_path: Path, text: str):
    path = tmp_path / "p.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match="no answerability profile"):
        read_profile(path)


@pytest.mark.parametrize("change", [{"scales": [0.0]}, {"means": []}, {"features": "a"}])
def test_a_profile_with_a_broken_model_is_a_typed_error(tmp_path: Path, change):
    record = json.loads(profile().to_json())
    record["models"]["words"]["topic"] |= change
    path = tmp_path / "p.json"
    path.write_text(json.dumps(record), "utf-8")
    with pytest.raises(ConfigError, match="no answerability profile"):
        read_profile(path)


def settings(folder: Path, **answerability: str) -> rag.Settings:
    return rag.load_settings(
        store={"uri": str(folder / "base")},
        embedding={"embedder": "hashing", "cache": False},
        answerability=answerability,
    )


def base_with_own(folder: Path, text: str) -> Path:
    with rag.open(settings(folder)) as base:
        base.ingest_text("# Tea\n\nGreen tea steeps for two minutes.\n", name="tea.md")
    own = folder / "base" / "answerability.json"
    own.write_text(text, "utf-8")
    return own


@pytest.mark.scenario("calibration", "The analyser changed")
def test_a_profile_of_another_analyser_is_ignored_with_a_warning(tmp_path: Path):
    base_with_own(tmp_path, profile(analyzer="rag-analyzer/0+english").to_json())
    with rag.open(settings(tmp_path)) as base:
        result = base.lookup("how long does tea steep?")
    assert (result.answerability, result.level_basis) == (None, "ordinal")
    (warning,) = result.warnings
    assert "is ignored" in warning
    assert "rag-analyzer/0+english" in warning
    assert ANALYZER in warning


@pytest.mark.scenario("calibration", "The index was made anew")
def test_a_profile_of_another_index_is_ignored_with_a_warning(tmp_path: Path):
    base_with_own(tmp_path, profile(index="1@long ago").to_json())
    with rag.open(settings(tmp_path)) as base:
        result = base.lookup("how long does tea steep?")
    assert result.answerability is None
    assert "another index" in result.warnings[0]


def test_an_own_profile_that_cannot_be_read_does_not_stop_a_base(tmp_path: Path):
    base_with_own(tmp_path, "no json")
    with rag.open(settings(tmp_path)) as base:
        result = base.lookup("how long does tea steep?")
    assert "is ignored" in result.warnings[0]


@pytest.mark.scenario("cli", "An answerability profile that is ignored")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (profile(index="1@long ago").to_json(), "another index"),
        (profile(analyzer="rag-analyzer/0+english").to_json(), "rag-analyzer/0+english"),
        ("no json", "no answerability profile"),
    ],
    ids=["index", "analyser", "no profile"],
)
def test_the_doctor_tells_of_a_profile_that_is_ignored(tmp_path: Path, text: str, why: str):
    base_with_own(tmp_path, text)
    found = diagnose(lambda: settings(tmp_path), lambda: rag.open(settings(tmp_path)))
    (check,) = [one for one in found.checks if one.name == "answerability"]
    assert (check.ok, found.ok) == (False, False)
    assert why in check.detail
    assert check.detail.endswith("levels are not calibrated")
    assert "rag calibrate" in (check.hint or "")


def test_the_doctor_says_which_profile_judges(tmp_path: Path):
    def answerability_of(**answerability: str) -> tuple[bool, str]:
        here = settings(tmp_path, **answerability)
        found = diagnose(lambda: here, lambda: rag.open(here))
        (check,) = [one for one in found.checks if one.name == "answerability"]
        return check.ok, check.detail

    base_with_own(tmp_path, profile(name="mine").to_json())
    assert answerability_of() == (True, "the profile mine judges")
    assert answerability_of(profile="none") == (
        True,
        "levels are not calibrated: as answerability.profile says",
    )
    (tmp_path / "base" / "answerability.json").unlink()
    assert answerability_of() == (
        True,
        "levels are not calibrated: no profile is for this embedder",
    )


def test_an_own_profile_serves(tmp_path: Path):
    base_with_own(tmp_path, profile(name="mine").to_json())
    with rag.open(settings(tmp_path)) as base:
        result = base.lookup("how long does tea steep?")
    assert result.level_basis == "calibrated"
    assert result.answerability is not None
    assert (result.answerability["profile"], result.answerability["basis"]) == (
        "mine",
        "words+vectors",
    )
    assert result.answerability["probability"] == pytest.approx(
        1 / (1 + math.exp(-3)) * 1 / (1 + math.exp(-1)), abs=1e-4
    )
    assert result.warnings == ()


def test_only_a_profile_with_an_index_can_expire(tmp_path: Path):
    with rag.open(settings(tmp_path)) as base:
        manifest = base.parts.store.stats().manifest
    assert expiry(None, manifest) is None
    assert expiry(profile(), manifest) is None
    assert expiry(profile(index="else"), manifest) is not None
