from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.embedding import EmbedderIdentity
from rag.embedding.checked_vectors import checked_vector, checked_vectors
from rag.errors import EmbeddingDimensionError, InvalidVectorError

THREE = EmbedderIdentity(name="tiny", revision="1", dimensions=3)
FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)
ROWS = st.lists(FINITE, min_size=3, max_size=3).filter(lambda row: max(map(abs, row)) > 1e-6)
FOUR = EmbedderIdentity(name="tiny", revision="1", dimensions=4)


def test_rows_are_divided_by_their_length() -> None:
    assert checked_vector([3, 0, 4], identity=THREE).tolist() == pytest.approx([3 / 5, 0, 4 / 5])


@settings(max_examples=100, deadline=None)
@given(st.lists(ROWS, max_size=5))
def test_finite_rows_that_are_not_zero_get_unit_length(rows: list[list[float]]) -> None:
    unit = checked_vectors(rows, count=len(rows), identity=THREE)
    assert unit.shape == (len(rows), 3)
    assert unit.dtype == np.float32
    assert np.linalg.norm(unit, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_the_rows_that_were_given_are_not_changed() -> None:
    rows = np.array([[3.0, 0.0, 4.0]], dtype=np.float32)
    checked_vectors(rows, count=1, identity=THREE)
    assert rows.tolist() == [[3.0, 0.0, 4.0]]


@pytest.mark.scenario("embedding", "Zero vector")
def test_a_zero_row_is_refused_by_its_number() -> None:
    rows = [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    with pytest.raises(InvalidVectorError, match="text number 2") as caught:
        checked_vectors(rows, count=3, identity=THREE)
    assert caught.value.code == "invalid_vector"
    assert caught.value.details == {"row": 1}


@pytest.mark.scenario("embedding", "NaN or infinity")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_row_that_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(InvalidVectorError, match="text number 1"):
        checked_vectors([[value, 1, 0]], count=1, identity=THREE)


@pytest.mark.scenario("embedding", "Another length")
def test_rows_of_another_length_are_refused_with_both_numbers() -> None:
    with pytest.raises(EmbeddingDimensionError, match=r"\(2, 3\).*2 of 4 numbers") as caught:
        checked_vectors(np.ones((2, 3)), count=2, identity=FOUR)
    assert caught.value.code == "embedding_dimension"


@pytest.mark.parametrize(
    ("rows", "count"),
    [([[1, 0, 0]], 2), ([[1, 0, 0], [1, 0, 0]], 1), ([], 1), ([[1, 0, 0], [1, 0]], 2), ([[]], 1)],
)
def test_a_wrong_number_of_rows_or_ragged_rows_are_refused(
    rows: list[list[float]], count: int
) -> None:
    with pytest.raises(EmbeddingDimensionError):
        checked_vectors(rows, count=count, identity=THREE)


@pytest.mark.parametrize("row", [[None, 1, 2], ["x", "y", "z"], [{}, 1, 2]])
def test_a_row_that_is_no_numbers_is_refused(row: Any) -> None:
    with pytest.raises(InvalidVectorError):
        checked_vectors([row], count=1, identity=THREE)


def test_large_and_small_values_keep_their_direction() -> None:
    big = float(np.finfo(np.float32).max)
    assert checked_vector([big, 0, 0], identity=THREE).tolist() == [1, 0, 0]
    assert checked_vector([0, 1e-9, 0], identity=THREE).tolist() == [0, 1, 0]
