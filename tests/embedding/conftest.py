from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from rag.embedding.minilm_embedder import MAX_TOKENS, MinilmEmbedder, _wheel_model, minilm_tokenizer
from tests.embedding.embeddings_server import EmbeddingsServer, embeddings_server


@pytest.fixture(scope="session")
def minilm() -> Iterator[MinilmEmbedder]:
    embedder = MinilmEmbedder(workers=2)
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def minilm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The default model laid out as a model folder."""
    folder = tmp_path_factory.mktemp("models") / "all-MiniLM-L6-v2"
    folder.mkdir()
    (folder / "model.onnx").symlink_to(_wheel_model())
    (folder / "sentence_bert_config.json").write_text(f'{{"max_seq_length": {MAX_TOKENS}}}')
    minilm_tokenizer().save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def server() -> Iterator[EmbeddingsServer]:
    """A running server, with pauses between retries left out."""
    with (
        stamina.set_testing(True, attempts=100, cap=True),
        embeddings_server() as running,
    ):
        yield running
