"""What every knowledge store promises, as tests to inherit.

A store's own test module gives one fixture and inherits the rest::

    import pytest

    pytest.register_assert_rewrite("rag.testing.store_contract_parts")

    from rag.testing.store_contract import OpenStore, StoreContract


    class TestMyStore(StoreContract):
        @pytest.fixture(scope="class")
        @classmethod
        def store_factory(cls, tmp_path_factory) -> OpenStore:
            root = tmp_path_factory.mktemp("stores")

            def open_store(place, *, embedder=EMBEDDER.identity, analyzer=ANALYZER):
                return MyStore(root / place, embedder=embedder, analyzer=analyzer)

            return open_store

The tests need pytest and no network; they write some hundred small documents.
Under ``--strict-markers`` register the marker ``scenario(capability, title)``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag.stores.protocol import KnowledgeStore
from rag.testing.store_contract_parts.corpus import ANALYZER, EMBEDDER, OpenStore, digest
from rag.testing.store_contract_parts.exporting import ExportingContract
from rag.testing.store_contract_parts.filtering import FilteringContract
from rag.testing.store_contract_parts.generations import GenerationsContract
from rag.testing.store_contract_parts.lifecycle import LifecycleContract
from rag.testing.store_contract_parts.searching import SearchingContract
from rag.testing.store_contract_parts.words import WordsContract

__all__ = ["ANALYZER", "EMBEDDER", "OpenStore", "StoreContract"]


class StoreContract(
    SearchingContract,
    FilteringContract,
    WordsContract,
    GenerationsContract,
    ExportingContract,
    LifecycleContract,
):
    """All promises of :class:`rag.stores.protocol.KnowledgeStore`; override ``store_factory``."""

    @pytest.fixture(scope="class")
    @classmethod
    def store_factory(cls) -> OpenStore:
        """Return what opens a store by the name of its place; see :class:`OpenStore`."""
        raise NotImplementedError("a subclass of StoreContract overrides the fixture store_factory")

    @pytest.fixture
    def store(
        self, store_factory: OpenStore, request: pytest.FixtureRequest
    ) -> Iterator[KnowledgeStore]:
        """Yield an empty store of the test's own."""
        store = store_factory(f"own_{digest(request.node.nodeid)[:16]}")
        yield store
        store.close()
