"""Any sentence model that lies in a folder as ``model.onnx`` and ``tokenizer.json``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rag.embedding.checked_vectors import checked_vector, checked_vectors
from rag.embedding.model_folder import ModelFolder
from rag.embedding.onnx_session import OnnxSession
from rag.embedding.protocol import EmbedderIdentity
from rag.embedding.sentence_encoder import SentenceEncoder
from rag.errors import EmbedderUnavailableError
from rag.text import Script

FUSION_WEIGHT = 1.0  # nothing is known of the model; equal weights are the usual start


class OnnxEmbedder:
    """Runs a model folder as exported by optimum or sentence-transformers, on the CPU.

    The identity's revision is the start of the model file's sha256; a second part follows where
    something else changes a document's vector: tokeniser, pooling, length limit or prefix.

    Args:
        path: The folder; ``model.onnx`` may lie in its sub-folder ``onnx``.
        scripts: Scripts the model reads; None for all.
        query_prefix: Put before every query, such as ``query: `` for E5 models.
        document_prefix: Put before every document, such as ``passage: ``.
        max_tokens: Longer texts are cut; None for what the folder's files say.
        workers: Texts embedded at a time; None for the number of cores.
        fusion_weight: Default weight of the vector channel in a fusion.

    Raises:
        EmbedderUnavailableError: a file is missing, damaged, or no sentence model.
    """

    def __init__(
        self,
        path: Path,
        /,
        *,
        scripts: frozenset[Script] | None = None,
        query_prefix: str = "",
        document_prefix: str = "",
        max_tokens: int | None = None,
        workers: int | None = None,
        fusion_weight: float = FUSION_WEIGHT,
    ) -> None:
        folder = ModelFolder.open(path)
        limit = max_tokens or folder.max_tokens
        self._query_prefix = query_prefix
        self._document_prefix = document_prefix
        session = OnnxSession(folder.model, pooling=folder.pooling)
        self._encoder = SentenceEncoder(
            session, _tokenizer(folder.tokenizer), max_tokens=limit, workers=workers
        )
        recipe = "\0".join((folder.tokenizer_hash(), folder.pooling, str(limit), document_prefix))
        self.identity = EmbedderIdentity(
            name=folder.name,
            revision=f"{folder.model_hash()[:12]}-{_short_hash(recipe)}",
            dimensions=session.dimensions,
        )
        self.scripts = scripts
        self.fusion_weight = fusion_weight

    def embed_documents(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        rows = self._encoder.encode([self._document_prefix + text for text in texts])
        return checked_vectors(rows, count=len(texts), identity=self.identity)

    def embed_query(self, text: str, /) -> NDArray[np.float32]:
        row = self._encoder.encode_one(self._query_prefix + text)
        return checked_vector(row, identity=self.identity)

    def close(self) -> None:
        self._encoder.close()


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


def _tokenizer(file: Path) -> Tokenizer:
    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:  # noqa: BLE001  # tokenizers raises bare Exception for a bad file
        raise EmbedderUnavailableError(
            f"cannot load {file}: {error}",
            given=str(file),
            allowed="a tokenizer.json as written by the tokenizers library",
            hint="fetch or export the model again",
        ) from None
