"""Compiles a filter to SQL over the ``documents`` table; every value is bound, none inlined."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rag.ingest.records import Trust
from rag.stores.filter_match import glob_regex
from rag.stores.filters import SearchFilter
from rag.stores.local.instants import microseconds

TRUST_LEVELS = {Trust.PRIMARY: 3, Trust.SECONDARY: 2, Trust.GENERATED: 1}


def filter_sql(filters: SearchFilter) -> tuple[str, list[str | int]]:
    """Return a condition on ``documents AS d`` and its parameters; ``TRUE`` for an empty filter."""
    conditions: list[str] = []
    values: list[str | int] = []

    def add(condition: str, *bound: str | int) -> None:
        conditions.append(condition)
        values.extend(bound)

    if filters.tags:
        add(
            f"d.doc IN (SELECT t.doc FROM document_tags t WHERE t.tag IN ({_marks(filters.tags)}))",
            *map(encodable, filters.tags),
        )
    for column, allowed in (
        ("media", filters.media),
        ("language", filters.lang),
        ("source", filters.source),
        ("source_type", filters.source_type),
        ("doc_id", filters.doc_id),
    ):
        if allowed:
            add(f"d.{column} IN ({_marks(allowed)})", *map(encodable, allowed))
    if filters.trust_min is not None:
        add("d.trust_level >= ?", TRUST_LEVELS[filters.trust_min])
    if filters.tenant is not None:
        add("d.tenant = ?", encodable(filters.tenant))
    if filters.path_prefix is not None:
        prefix = encodable(filters.path_prefix)
        add("substr(d.uri, 1, ?) = ?", len(prefix), prefix)  # literal: no wildcard to escape
    if filters.path_glob is not None:
        glob_regex(filters.path_glob)  # refuses what is too long, before SQLite would hide it
        add("glob_matches(?, d.uri)", encodable(filters.path_glob))
    if filters.indexed_after is not None:
        add("d.indexed_us >= ?", microseconds(filters.indexed_after))
    return " AND ".join(conditions) or "TRUE", values


def register_functions(connection: sqlite3.Connection) -> None:
    """Give a connection the functions that the conditions call."""
    connection.create_function("glob_matches", 2, _glob_matches, deterministic=True)


def encodable(text: str) -> str:
    """Return the text with lone surrogates replaced, which SQLite cannot take and never holds."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def _glob_matches(pattern: str, uri: str) -> bool:
    return glob_regex(pattern).match(uri) is not None
