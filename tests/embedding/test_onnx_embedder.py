from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import numpy as np
import pytest

from rag.embedding.minilm_embedder import MODEL_SHA256, MinilmEmbedder
from rag.embedding.model_folder import ModelFolder
from rag.embedding.onnx_embedder import OnnxEmbedder
from rag.embedding.onnx_session import Pooling
from rag.errors import EmbedderUnavailableError, InvalidVectorError
from rag.text import Script
from tests.embedding.tiny_model import (
    FLOAT,
    INT32,
    INT64,
    write_folder,
    write_model,
    write_tokenizer,
)


def unit(*values: float) -> list[float]:
    return [value / math.hypot(*values) for value in values]


@pytest.mark.scenario("embedding", "The default model as a folder")
def test_the_default_model_as_a_folder_gives_the_same_bits(
    minilm: MinilmEmbedder, minilm_folder: Path
) -> None:
    texts = ["a short text", "another one " * 150, ""]
    folder = OnnxEmbedder(minilm_folder)
    assert np.array_equal(folder.embed_documents(texts), minilm.embed_documents(texts))
    assert folder.identity.name == "all-MiniLM-L6-v2"
    assert folder.identity.revision.startswith(MODEL_SHA256[:12])
    assert folder.identity.dimensions == 384
    folder.close()


@pytest.mark.scenario("embedding", "Token vectors are pooled")
@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        (None, unit(3 / 3, (4 + 4) / 3)),
        ("mean_tokens", unit(3 / 3, (4 + 4) / 3)),
        ("cls_token", unit(3, 0)),
        ("lasttoken", unit(0, 4)),
    ],
)
def test_token_vectors_are_pooled_as_the_folder_says(
    tmp_path: Path, pooling: str | None, expected: list[float]
) -> None:
    embedder = OnnxEmbedder(write_folder(tmp_path / "tiny", pooling=pooling))
    assert embedder.embed_query("a b b").tolist() == pytest.approx(expected)


def test_a_sentence_embedding_is_taken_as_it_is(tmp_path: Path) -> None:
    write_model(tmp_path / "model.onnx", output="sentence_embedding", pooled=True)
    write_tokenizer(tmp_path)
    assert OnnxEmbedder(tmp_path).embed_query("a b").tolist() == pytest.approx(unit(3, 4))


def test_an_only_output_is_taken_whatever_its_name(tmp_path: Path) -> None:
    write_model(tmp_path / "model.onnx", output="whatever")
    write_tokenizer(tmp_path)
    assert OnnxEmbedder(tmp_path).embed_query("a").tolist() == unit(3, 0)


@pytest.mark.parametrize(
    "inputs",
    [
        {"input_ids": INT64, "attention_mask": INT64},
        {"input_ids": INT32, "attention_mask": INT32, "token_type_ids": INT32},
        {"input_ids": INT64, "attention_mask": INT64, "position_ids": INT64},
    ],
)
def test_a_model_is_fed_the_inputs_it_has(tmp_path: Path, inputs: dict[str, int]) -> None:
    write_model(tmp_path / "model.onnx", inputs=inputs)
    write_tokenizer(tmp_path)
    assert OnnxEmbedder(tmp_path).embed_query("b").tolist() == unit(0, 4)


def test_the_model_may_lie_in_the_sub_folder_onnx(tmp_path: Path) -> None:
    write_model(tmp_path / "onnx" / "model.onnx")
    write_tokenizer(tmp_path)
    assert OnnxEmbedder(tmp_path).embed_query("a").tolist() == unit(3, 0)


@pytest.mark.parametrize("text", ["zero", "nan", "a nan"])
def test_a_vector_that_compares_with_nothing_is_refused(tmp_path: Path, text: str) -> None:
    embedder = OnnxEmbedder(write_folder(tmp_path / "tiny"))
    with pytest.raises(InvalidVectorError):
        embedder.embed_documents(["a", text])


def test_a_text_without_tokens_is_refused_where_the_tokeniser_adds_no_marker(
    tmp_path: Path,
) -> None:
    embedder = OnnxEmbedder(write_folder(tmp_path / "tiny"))
    with pytest.raises(InvalidVectorError, match="no token"):
        embedder.embed_query("")


def test_prefixes_go_before_queries_and_documents(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(
        write_folder(tmp_path / "tiny", pooling="cls_token"),
        query_prefix="a ",
        document_prefix="b ",
        scripts=frozenset({Script.LATIN}),
    )
    assert embedder.embed_query("[UNK]").tolist() == unit(3, 0)
    assert embedder.embed_documents(["[UNK]"]).tolist() == [unit(0, 4)]
    assert embedder.scripts == frozenset({Script.LATIN})


@pytest.mark.scenario("embedding", "A prefix of documents is part of the identity")
def test_the_identity_changes_whenever_a_documents_vector_would(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny")
    plain = OnnxEmbedder(folder).identity
    start = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()[:12]
    assert plain.revision.startswith(start)
    assert OnnxEmbedder(folder, query_prefix="query: ").identity == plain
    others = [
        OnnxEmbedder(folder, document_prefix="passage: ").identity,
        OnnxEmbedder(folder, max_tokens=100).identity,
        OnnxEmbedder(write_folder(tmp_path / "b" / "tiny", pooling="cls_token")).identity,
    ]
    assert all(other.revision.startswith(start) for other in others)
    assert len({plain, *others}) == 4


def test_a_folder_may_move_without_changing_the_identity(tmp_path: Path) -> None:
    before = OnnxEmbedder(write_folder(tmp_path / "here" / "tiny")).identity
    assert OnnxEmbedder(write_folder(tmp_path / "there" / "tiny")).identity == before


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 512),
        ({"sentence_bert_config.json": {"max_seq_length": 256}}, 256),
        ({"tokenizer_config.json": {"model_max_length": 10**30}}, 512),
        (
            {
                "tokenizer_config.json": {"model_max_length": 10**30},
                "config.json": {"max_position_embeddings": 514},
            },
            514,
        ),
        ({"sentence_bert_config.json": {"max_seq_length": None}}, 512),
        ({"tokenizer.json": {"truncation": {"max_length": 128}}}, 128),
        ({"tokenizer.json": {"truncation": None}}, 512),
    ],
)
def test_the_length_limit_comes_from_the_most_trusted_file(
    tmp_path: Path, files: dict[str, object], expected: int
) -> None:
    write_folder(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    assert ModelFolder.open(tmp_path).max_tokens == expected


def test_a_length_limit_of_the_caller_goes_before_the_files(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(write_folder(tmp_path / "tiny"), max_tokens=2)
    assert embedder.embed_query("a a b").tolist() == unit(3, 0)


@pytest.mark.scenario("embedding", "A file is missing or damaged")
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (write_folder(tmp_path / "tiny") / name).unlink()
    with pytest.raises(EmbedderUnavailableError, match=f"no {name} in"):
        OnnxEmbedder(tmp_path / "tiny")


@pytest.mark.scenario("embedding", "A file is missing or damaged")
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("content", [b"", b"damaged", b"\xff\xfe\x00"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    (write_folder(tmp_path / "tiny") / name).write_bytes(content)
    with pytest.raises(EmbedderUnavailableError, match=name):
        OnnxEmbedder(tmp_path / "tiny")


@pytest.mark.scenario("embedding", "A file is missing or damaged")
@pytest.mark.parametrize(
    "inputs",
    [
        {"pixel_values": INT64},
        {"input_ids": INT64, "decoder_input_ids": INT64},
        {"input_ids": INT64, "attention_mask": FLOAT},
    ],
)
def test_a_model_that_is_no_sentence_model_is_refused(
    tmp_path: Path, inputs: dict[str, int]
) -> None:
    write_model(tmp_path / "model.onnx", inputs=inputs)
    write_tokenizer(tmp_path)
    with pytest.raises(EmbedderUnavailableError, match=r"model\.onnx is not a sentence model"):
        OnnxEmbedder(tmp_path)


def test_an_unknown_pooling_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path / "tiny", pooling="weightedmean_tokens")
    with pytest.raises(EmbedderUnavailableError, match="weightedmean"):
        OnnxEmbedder(tmp_path / "tiny")


def test_the_hash_covers_weights_stored_beside_the_model(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny")
    before = ModelFolder.open(folder).model_hash()
    assert before == hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    (folder / "model.onnx_data").write_bytes(b"weights")
    assert ModelFolder.open(folder).model_hash() != before
    assert ModelFolder.open(folder).pooling is Pooling.MEAN
