"""The store contract on Milvus Lite over a path."""

from __future__ import annotations

import pytest

from rag.testing.store_contract import OpenStore, StoreContract
from tests.stores.milvus.conftest import open_at


class TestMilvusLiteOverAPath(StoreContract):
    @pytest.fixture(scope="class")
    @classmethod
    def store_factory(cls, lite_uri: str) -> OpenStore:
        return open_at(lite_uri)
