"""The store contract on a Milvus Lite server process, and on the Milvus that one names."""

from __future__ import annotations

import os
import uuid

import pytest

from rag.testing.store_contract import OpenStore, StoreContract
from tests.stores.milvus.conftest import open_at

NAMED_URI = os.environ.get("RAG_TEST_MILVUS_URI")


class TestMilvusLiteServerOverTcp(StoreContract):
    @pytest.fixture(scope="class")
    @classmethod
    def store_factory(cls, server_uri: str) -> OpenStore:
        return open_at(server_uri)


if NAMED_URI:

    class TestNamedMilvus(StoreContract):
        @pytest.fixture(scope="class")
        @classmethod
        def store_factory(cls) -> OpenStore:
            run = uuid.uuid4().hex[:8]
            open_store = open_at(NAMED_URI)
            return lambda place, **options: open_store(f"t{run}_{place}", **options)
