"""What the files of a model folder say about how to run the model."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.embedding.onnx_session import Pooling
from rag.errors import EmbedderUnavailableError
from rag.platform.at_path import at_path, home_path, real_path

DEFAULT_MAX_TOKENS = 512  # what BERT-like models have positions for
LARGEST_MAX_TOKENS = 8_192  # some files say 10**30 for "no limit", and memory grows with the square
# Where a limit is written, most trusted first. tokenizer.json comes last: some published ones
# carry a training-time limit that is lower than the model's.
LIMITS = (
    ("sentence_bert_config.json", ("max_seq_length",)),
    ("tokenizer_config.json", ("model_max_length",)),
    ("config.json", ("max_position_embeddings",)),
    ("tokenizer.json", ("truncation", "max_length")),
)
POOLING_FLAGS = {
    "pooling_mode_mean_tokens": Pooling.MEAN,
    "pooling_mode_cls_token": Pooling.FIRST,
    "pooling_mode_lasttoken": Pooling.LAST,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """The files of one model, and what they say; make it with :meth:`open`."""

    name: str
    model: Path
    tokenizer: Path
    max_tokens: int
    pooling: Pooling

    @classmethod
    def open(cls, path: Path, /) -> ModelFolder:
        """Read the folder's small files; the model itself is not loaded.

        Raises:
            EmbedderUnavailableError: a file is missing or says something that is not supported.
        """
        folder = home_path(path)
        return cls(
            name=real_path(folder).name,
            model=_required(folder, "model.onnx", "onnx/model.onnx"),
            tokenizer=_required(folder, "tokenizer.json"),
            max_tokens=_max_tokens(folder),
            pooling=_pooling(folder),
        )

    def model_hash(self) -> str:
        """Return the sha256 of the model file and the weights stored beside it, hexadecimal."""
        weights = sorted(self.model.parent.glob(f"{self.model.name}[._]data"))
        return _sha256(self.model, *weights)

    def tokenizer_hash(self) -> str:
        """Return the sha256 of the tokeniser file, hexadecimal."""
        return _sha256(self.tokenizer)


def _required(folder: Path, *names: str) -> Path:
    for name in names:
        if at_path(folder / name).is_file:
            return folder / name
    raise EmbedderUnavailableError(
        f"no {names[0]} in {folder}",
        given=str(folder),
        allowed="a folder with model.onnx and tokenizer.json",
        hint="set embedding.path to the model's folder; optimum-cli export onnx makes one",
    )


def _max_tokens(folder: Path) -> int:
    for name, keys in LIMITS:
        value: Any = _json(folder / name)
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, int) and 0 < value <= LARGEST_MAX_TOKENS:
            return value
    return DEFAULT_MAX_TOKENS


def _pooling(folder: Path) -> Pooling:
    said = _json(folder / "1_Pooling" / "config.json")
    flags = [key for key, on in said.items() if key.startswith("pooling_mode_") and on is True]
    if not flags:
        return Pooling.MEAN
    if len(flags) > 1 or flags[0] not in POOLING_FLAGS:
        raise EmbedderUnavailableError(
            f"{folder} asks for the pooling {' and '.join(flags)}",
            given=", ".join(flags),
            allowed="one of: " + ", ".join(POOLING_FLAGS),
            hint="export the model with its pooling, so that it gives a sentence_embedding",
        )
    return POOLING_FLAGS[flags[0]]


def _json(file: Path) -> dict[str, Any]:
    """Return a file's JSON object, empty if there is no such file."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise EmbedderUnavailableError(
            f"cannot read {file}: {error}",
            given=str(file),
            allowed="a JSON file",
            hint="fetch or export the model again",
        ) from None
    return value if isinstance(value, dict) else {}


def _sha256(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
