"""The store contract on the local store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag.testing.store_contract import ANALYZER, EMBEDDER, OpenStore, StoreContract
from tests.stores.local.opening import local_store


class TestLocalStore(StoreContract):
    @pytest.fixture(scope="class")
    @classmethod
    def store_factory(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStore]:
        root = tmp_path_factory.mktemp("stores")
        opened = []

        def open_store(place, *, embedder=EMBEDDER.identity, analyzer=ANALYZER):
            opened.append(local_store(root / place, embedder=embedder, analyzer=analyzer))
            return opened[-1]

        yield open_store
        for store in opened:
            store.close()
