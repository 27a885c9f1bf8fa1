"""Sentence models of a few numbers, written as ONNX files byte by byte.

Only what onnxruntime reads is written; the field numbers are those of ``onnx.proto``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

FLOAT, INT32, INT64 = 1, 6, 7
WORDS = {"a": 0, "b": 1, "zero": 2, "nan": 3, "[UNK]": 4}
VECTORS = np.array([[3, 0], [0, 4], [0, 0], [np.nan, 1], [1, 1]], dtype=np.float32)


def write_model(
    file: Path,
    *,
    inputs: Mapping[str, int] | None = None,
    output: str = "last_hidden_state",
    pooled: bool = False,
) -> None:
    """Write a model that looks up ``VECTORS``; ``pooled`` gives the largest of each column."""
    inputs = inputs or {"input_ids": INT64}
    first = next(iter(inputs))
    nodes = [_node("Gather", ["table", first], "tokens" if pooled else output)]
    if pooled:
        attributes = [_attribute("axes", [1]), _attribute("keepdims", 0)]
        nodes.append(_node("ReduceMax", ["tokens"], output, attributes))
    shape: list[int | str] = ["batch", 2] if pooled else ["batch", "tokens", 2]
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, b"tiny"),
            _field(5, _tensor("table", VECTORS)),
            *(_field(11, _value(name, kind, ["batch", "tokens"])) for name, kind in inputs.items()),
            _field(12, _value(output, FLOAT, shape)),
        ]
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(_number(1, 8) + _field(7, graph) + _field(8, _number(2, 13)))


def write_tokenizer(folder: Path) -> None:
    """Write a tokeniser of the words in ``WORDS``, without markers."""
    tokenizer = Tokenizer(WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_folder(folder: Path, *, pooling: str | None = None) -> Path:
    """Write model and tokeniser; ``pooling`` is the flag that 1_Pooling/config.json sets."""
    write_model(folder / "model.onnx")
    write_tokenizer(folder)
    if pooling is not None:
        (folder / "1_Pooling").mkdir()
        said = {"word_embedding_dimension": 2, f"pooling_mode_{pooling}": True}
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(said))
    return folder


def _varint(value: int) -> bytes:
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _node(
    operator: str, inputs: Sequence[str], output: str, attributes: Sequence[bytes] = ()
) -> bytes:
    names = b"".join(_field(1, name.encode()) for name in inputs)
    extra = b"".join(_field(5, attribute) for attribute in attributes)
    return names + _field(2, output.encode()) + _field(4, operator.encode()) + extra


def _attribute(name: str, value: int | list[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name.encode()) + _number(3, value) + _number(20, 2)
    return _field(1, name.encode()) + b"".join(_number(8, one) for one in value) + _number(20, 7)


def _tensor(name: str, values: np.ndarray) -> bytes:
    dims = b"".join(_number(1, size) for size in values.shape)
    return dims + _number(2, FLOAT) + _field(8, name.encode()) + _field(9, values.tobytes())


def _value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(
        _field(1, _number(1, size) if isinstance(size, int) else _field(2, size.encode()))
        for size in shape
    )
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, dims)))
