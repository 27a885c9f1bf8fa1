"""A local store that is opened for reading only answers alike and refuses every write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.errors import ReadonlyError
from rag.ingest.records import Source
from rag.ranking.records import SearchMode
from rag.stores.filters import parse_filter
from rag.stores.local import LocalKnowledgeStore
from rag.testing.store_contract_parts.corpus import document, document_id, search
from tests.stores.local.opening import local_store

FILTERS = ({}, {"tags": "x"}, {"tenant": "a"}, {"path_glob": "*.md"}, {"lang": "de"})


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[LocalKnowledgeStore, LocalKnowledgeStore]]:
    """One store, open for writing and for reading only."""
    writer = local_store(tmp_path / "base")
    writer.write_documents(
        [
            document("a.md", "grebe one", "grebe two", tags=("x",), tenant="a"),
            document("b.md", "grebe three", language="de"),
            document("deep/c.md", "coot four", tags=("x", "y")),
        ]
    )
    writer.put_source(Source(name="s", root="/s"))
    reader = local_store(tmp_path / "base", readonly=True)
    yield writer, reader
    writer.close()
    reader.close()


def test_a_readonly_store_answers_like_one_that_may_write(
    pair: tuple[LocalKnowledgeStore, LocalKnowledgeStore],
) -> None:
    writer, reader = pair
    for _ in range(2):  # and again after a write that it follows
        for filters in FILTERS:
            for mode in SearchMode:
                one, other = (search(s, "grebe coot", mode, filters=filters) for s in pair)
                assert (one.hits, one.total, one.revision) == (
                    other.hits,
                    other.total,
                    other.revision,
                )
            assert list(writer.documents(parse_filter(filters))) == list(
                reader.documents(parse_filter(filters))
            )
        gone = document_id("a.md")
        assert writer.chunks(gone) == reader.chunks(gone)
        assert writer.stats() == reader.stats()
        assert writer.sources() == reader.sources()
        assert reader.unmatched_terms(["grebe", "zzz"]) == ("zzz",)
        assert [w.document for w in reader.export([gone])] == [
            w.document for w in writer.export([gone])
        ]
        assert all(line.ok for line in reader.check())
        writer.write_documents([document("a.md", "grebe five", generation=2)])


def test_a_readonly_store_refuses_every_write_and_stays_as_it_was(
    pair: tuple[LocalKnowledgeStore, LocalKnowledgeStore],
) -> None:
    _, reader = pair
    before = reader.stats()
    for write in (
        lambda: reader.write_documents([document("d.md", "more")]),
        lambda: reader.delete_documents([document_id("a.md")]),
        lambda: reader.put_source(Source(name="t", root="/t")),
        lambda: reader.repair(),
        lambda: reader.build_index(force=True),
    ):
        with pytest.raises(ReadonlyError):
            write()
    assert reader.stats() == before
