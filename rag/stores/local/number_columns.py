"""Reads columns of whole numbers as arrays, many times faster than row by row."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def read_columns(
    connection: sqlite3.Connection,
    columns: Sequence[str],
    tables: str,
    values: Sequence[str | int | float] = (),
) -> tuple[NDArray[np.int64], ...]:
    """Return the columns of ``SELECT columns FROM tables``, each an int64 array of equal length.

    SQLite joins each column to one text, which numpy parses: about 0.1 µs a number instead of
    the 1 µs a row that fetching Python objects costs. No column may hold NULL.
    """
    joined = ", ".join(f"group_concat({column})" for column in columns)
    row = connection.execute(f"SELECT {joined} FROM {tables}", values).fetchone()
    return tuple(parse_numbers(text) for text in row)


def parse_numbers(text: str | int | None) -> NDArray[np.int64]:
    """Return the numbers of ``1,2,3``; None, which SQL gives for no row, has none."""
    if text is None:
        return np.empty(0, dtype=np.int64)
    return np.fromstring(str(text), dtype=np.int64, sep=",")
