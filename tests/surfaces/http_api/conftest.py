"""One filled base for the tests that only read, and an empty one for those that write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rag.samples import handbook_path
from rag.surfaces.http_api.services import Services
from tests.surfaces.http_api.service import client_of, services_in


@pytest.fixture(scope="session")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """Services over the sample handbook, which no test changes."""
    services = services_in(tmp_path_factory.mktemp("handbook"))
    services.base.ingest(handbook_path())
    yield services
    services.close()


@pytest.fixture
def reader(handbook: Services) -> TestClient:
    """Asks the filled base; its lifespan is not entered, so it stays open."""
    return client_of(handbook)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Services over an empty base of this test's own."""
    made = services_in(tmp_path)
    yield made
    made.close()


@pytest.fixture
def writer(services: Services) -> TestClient:
    return client_of(services)
