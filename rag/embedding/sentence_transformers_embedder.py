"""Any model that sentence-transformers can load; from the extra ``sentence-transformers``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.embedding.checked_vectors import checked_vector, checked_vectors
from rag.embedding.extra_package import extra_package
from rag.embedding.protocol import EmbedderIdentity
from rag.errors import EmbedderUnavailableError, EmbeddingError
from rag.text import Script, clean_text

MAX_CHARS = 65_536  # bounds the tokeniser's work; no such model reads more than 8,192 tokens
BATCH_SIZE = 1  # padding to a neighbour's length changes the last digits of a vector
FUSION_WEIGHT = 1.0  # nothing is known of the model; equal weights are the usual start
WEIGHTS = ("model.safetensors", "pytorch_model.bin", "*.safetensors")


class SentenceTransformersEmbedder:
    """Runs a model with torch, on a GPU where there is one; a name is fetched from the hub.

    A model's own prompts for queries and documents are used, with the prefixes behind them.

    Args:
        model: A folder, or a name at the hub such as ``intfloat/e5-base-v2``.
        scripts: Scripts the model reads; None for all.
        query_prefix: Put before every query.
        document_prefix: Put before every document.
        batch_size: Texts at a time. More than 1 is faster on a GPU and lets a vector's last
            digits depend on its neighbours.
        fusion_weight: Default weight of the vector channel in a fusion.

    Raises:
        MissingExtraError: the package sentence-transformers is not installed.
        EmbedderUnavailableError: the model cannot be found or loaded.
    """

    def __init__(
        self,
        model: str,
        /,
        *,
        scripts: frozenset[Script] | None = None,
        query_prefix: str = "",
        document_prefix: str = "",
        batch_size: int = BATCH_SIZE,
        fusion_weight: float = FUSION_WEIGHT,
    ) -> None:
        package = extra_package("sentence_transformers", extra="sentence-transformers")
        self._model: Any = _loaded(package, model)
        self._query_prefix = query_prefix
        self._document_prefix = document_prefix
        self._batch_size = batch_size
        self.identity = EmbedderIdentity(
            name=model_name(model),
            revision=model_revision(model, self._model, document_prefix),
            dimensions=int(self._model.get_sentence_embedding_dimension()),
        )
        self.scripts = scripts
        self.fusion_weight = fusion_weight

    def embed_documents(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        return self._encoded(self._model.encode_document, self._document_prefix, texts)

    def embed_query(self, text: str, /) -> NDArray[np.float32]:
        rows = self._encoded(self._model.encode_query, self._query_prefix, [text])
        return checked_vector(rows[0], identity=self.identity)

    def close(self) -> None:
        self._model = None

    def _encoded(self, encode: Any, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        inputs = [clean_text((prefix + text)[:MAX_CHARS]) for text in texts]
        try:
            rows = encode(inputs, batch_size=self._batch_size, show_progress_bar=False)
        except RuntimeError as error:  # torch's own, out of memory among them
            raise EmbeddingError(
                f"{self.identity.name} failed: {error}",
                given=f"{len(texts)} texts",
                hint="lower the batch size if the device is out of memory",
            ) from None
        return checked_vectors(rows, count=len(texts), identity=self.identity)


def model_name(model: str, /) -> str:
    """Return the name in the identity: a folder's last part, so that it may move; else as given."""
    folder = Path(model).expanduser()
    return folder.resolve().name if folder.is_dir() else model


def model_revision(model: str, loaded: Any, document_prefix: str, /) -> str:
    """Return what names the weights: the hub's commit, else the sha256 of the weight files.

    A hash of the document prefix follows if there is one, since it changes every vector.

    Raises:
        EmbedderUnavailableError: a folder holds no weights that could be named.
    """
    weights = _hub_commit(loaded) or _weights_hash(Path(model).expanduser())
    prefix = hashlib.sha256(document_prefix.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{weights[:12]}-{prefix}" if document_prefix else weights[:12]


def _hub_commit(loaded: Any) -> str | None:
    """Return the commit that transformers notes on a model it fetched from the hub."""
    module = next(iter(loaded), None)
    config = getattr(getattr(module, "auto_model", None), "config", None)
    commit = getattr(config, "_commit_hash", None)
    return commit if isinstance(commit, str) else None


def _weights_hash(folder: Path) -> str:
    for pattern in WEIGHTS:
        files = sorted(folder.rglob(pattern))
        if files:
            digest = hashlib.sha256()
            for file in files:
                with file.open("rb") as stream:
                    digest.update(hashlib.file_digest(stream, "sha256").digest())
            return digest.hexdigest()
    raise EmbedderUnavailableError(
        f"cannot tell which weights {folder} holds",
        given=str(folder),
        allowed="a folder with " + " or ".join(WEIGHTS[:2]),
        hint="an index must know what it was built with; give a folder with its weights",
    )


def _loaded(package: Any, model: str) -> Any:
    try:
        return package.SentenceTransformer(model)
    except (OSError, ValueError, RuntimeError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise EmbedderUnavailableError(
            f"cannot load the model {model!r}: {reason}",
            given=model,
            allowed="a folder, or the name of a sentence-transformers model at the hub",
            hint="check the name, and the network if the model is not on this machine yet",
        ) from None
