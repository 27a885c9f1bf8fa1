"""Which chunks a filter lets through, by position."""

from __future__ import annotations

import sqlite3

import numpy as np
from numpy.typing import NDArray

from rag.stores.filters import SearchFilter
from rag.stores.local.filter_sql import filter_sql
from rag.stores.local.number_columns import read_columns
from rag.stores.local.row_table import RowTable


def scope(
    connection: sqlite3.Connection, table: RowTable, filters: SearchFilter
) -> NDArray[np.bool_]:
    """Return which positions are live and pass, shape ``(n,)``; made once per revision."""
    if filters.is_empty:
        return table.live
    return table.derive(filters, lambda: _made(connection, table, filters))


def corpus(
    connection: sqlite3.Connection, table: RowTable, filters: SearchFilter
) -> NDArray[np.bool_]:
    """Return the positions whose words count as the corpus of a search under ``filters``.

    A tenant is a corpus of its own, so that no word of another tenant moves a score of this one.
    Every other filter only narrows a ranking, so that scores do not change with it.
    """
    return scope(connection, table, SearchFilter(tenant=filters.tenant))


def _made(
    connection: sqlite3.Connection, table: RowTable, filters: SearchFilter
) -> NDArray[np.bool_]:
    condition, values = filter_sql(filters)
    (docs,) = read_columns(connection, ("doc",), f"documents AS d WHERE {condition}", values)
    if not len(docs) or not len(table):
        return np.zeros(len(table), dtype=np.bool_)
    passing = np.zeros(max(int(docs.max()), int(table.docs.max())) + 1, dtype=np.bool_)
    passing[docs] = True
    return passing[table.docs] & table.live
