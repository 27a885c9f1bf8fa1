"""Cosines that differ by rounding alone are tied; all others keep their order."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.stores.settled_cosines import COSINE_DECIMALS, INDISTINCT, settle_cosines

NOISE = 6e-8  # half a unit in the last place of a float32 near 1
cosines = st.lists(st.floats(-1, 1), max_size=50).map(np.array)


@given(st.floats(-1, 1), st.lists(st.floats(-NOISE, NOISE), min_size=2, max_size=10))
def test_equal_vectors_have_one_cosine_wherever_they_lie(cosine: float, noise: list[float]) -> None:
    settled = settle_cosines(cosine + np.array(noise))
    assert len(set(settled.tolist())) == 1


def test_rounding_alone_would_part_them() -> None:
    pair = np.array([0.1234565 + NOISE, 0.1234565 - NOISE])
    assert len(set(np.round(pair, COSINE_DECIMALS))) == 2
    assert settle_cosines(pair).tolist() == [0.123457, 0.123457]


@settings(max_examples=100, deadline=None)
@given(cosines)
def test_order_is_kept_and_no_cosine_moves_far(given: np.ndarray) -> None:
    settled = settle_cosines(given)
    assert settled.shape == given.shape
    order = np.argsort(-given, kind="stable")
    assert (np.diff(settled[order]) <= 0).all()
    most = 0.5 * 10**-COSINE_DECIMALS + INDISTINCT * len(given)
    assert np.all(np.abs(settled - given) <= most + 1e-12)


def test_none_and_not_a_number_come_back_as_they_are() -> None:
    assert settle_cosines(np.empty(0)).shape == (0,)
    settled = settle_cosines(np.array([np.nan, 0.5, np.nan, 0.25]))
    assert np.isnan(settled[[0, 2]]).all()
    assert settled[[1, 3]].tolist() == [0.5, 0.25]
