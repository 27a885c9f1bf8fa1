from __future__ import annotations

import math
import os
import subprocess
import sys
import zlib

import pytest

from rag.testing.hashing_embedder import HashingEmbedder


@pytest.mark.scenario("embedding", "Shared words")
def test_texts_that_share_words_are_near_each_other_in_any_script() -> None:
    embedder = HashingEmbedder()
    pairs = [
        ("running dogs", "The dog runs"),
        ("向量数据库", "数据库"),
        ("쿼리 매개변수", "쿼리"),
        ("running dogs", "melting point"),
    ]
    cosines = [float(embedder.embed_query(a) @ embedder.embed_query(b)) for a, b in pairs]
    assert min(cosines[:3]) > 0.4
    assert cosines[3] < 0.2


def test_a_term_adds_one_plus_the_logarithm_of_its_count() -> None:
    embedder = HashingEmbedder(dimensions=1_000, stemmer="none")
    place = {term: (zlib.crc32(term.encode()) >> 1) % 1_000 for term in ("red", "blue")}
    row = abs(embedder.embed_query("red blue red"))
    twice, once = 1 + math.log(2), 1 + math.log(1)
    assert row[place["red"]] == pytest.approx(twice / math.hypot(twice, once))
    assert row[place["blue"]] == pytest.approx(once / math.hypot(twice, once))


@pytest.mark.scenario("embedding", "The same in every process")
def test_vectors_are_the_same_in_every_process() -> None:
    code = (
        "from rag.testing.hashing_embedder import HashingEmbedder;"
        "print(HashingEmbedder().embed_query('hello world').tobytes().hex())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert printed == {HashingEmbedder().embed_query("hello world").tobytes().hex()}


def test_the_identity_names_the_analyser_and_the_length() -> None:
    english = HashingEmbedder().identity
    assert english.dimensions == 384
    assert HashingEmbedder(stemmer="none").identity != english
    assert HashingEmbedder(dimensions=8).identity != english


@pytest.mark.parametrize("dimensions", [2, 3])
def test_terms_that_cancel_each_other_out_still_give_a_vector(dimensions: int) -> None:
    embedder = HashingEmbedder(dimensions=dimensions)
    assert embedder.embed_documents([f"w{a} w{b}" for a in range(20) for b in range(20)]).any()
