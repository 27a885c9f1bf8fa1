from __future__ import annotations

import pytest

from rag.ingest.identity import chunk_id, document_hash, document_id


@pytest.mark.scenario("ingestion", "Identical twins")
def test_a_document_is_named_by_its_place_and_nothing_else() -> None:
    name = document_id("", "docs", "a/b.md")
    assert name == document_id("", "docs", "a/b.md")
    assert len(name) == 32
    assert int(name, 16) >= 0
    others = {
        document_id("t", "docs", "a/b.md"),
        document_id("", "docs2", "a/b.md"),
        document_id("", "docs", "a/c.md"),
        document_id("", "doc", "sa/b.md"),
        document_id("docs", "", "a/b.md"),
        document_id("", "docs", "a/b.md\n"),
    }
    assert len(others - {name}) == 6


def test_any_file_name_has_an_id() -> None:
    assert len({document_id("", "s", name) for name in ("\udce9", "é", "#", '"', "\0", "")}) == 6


@pytest.mark.scenario("ingestion", "Changed chunk size")
def test_the_hash_changes_with_bytes_versions_and_settings() -> None:
    base = document_hash(b"x", reader_version="r1", chunker_version="c1")
    assert base == document_hash(b"x", reader_version="r1", chunker_version="c1")
    assert len(base) == 64
    assert base not in {
        document_hash(b"y", reader_version="r1", chunker_version="c1"),
        document_hash(b"x", reader_version="r2", chunker_version="c1"),
        document_hash(b"x", reader_version="r1", chunker_version="c2"),
        document_hash(b"x", reader_version="r1", chunker_version="c1", settings=("primary",)),
    }


def test_a_chunk_id_depends_on_all_its_parts() -> None:
    ids = {
        chunk_id("d", "v", 0, "h"),
        chunk_id("e", "v", 0, "h"),
        chunk_id("d", "w", 0, "h"),
        chunk_id("d", "v", 1, "h"),
        chunk_id("d", "v", 0, "i"),
    }
    assert len(ids) == 5
    assert {len(name) for name in ids} == {32}
