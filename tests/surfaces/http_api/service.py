"""A service over a real base in a folder of the test's, asked without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from rag.assembly import open_base
from rag.base.knowledge_base import KnowledgeBase
from rag.settings import Settings, load_settings
from rag.surfaces.http_api.api_keys import digest_of
from rag.surfaces.http_api.app import build_app
from rag.surfaces.http_api.services import Services, build_services
from rag.surfaces.shared_base import SharedBase

OWN_ADDRESS = "http://127.0.0.1:8766"
PROBLEM = "application/problem+json"


def settings_in(folder: Path, **sections: Any) -> Settings:
    """Return settings of a local base in ``folder``, with an embedder that needs no model."""
    defaults = {
        "store": {"uri": str(folder / "kb")},
        "embedding": {"embedder": "hashing", "cache": False},
    }
    return load_settings(**{**defaults, **sections})


def services_in(folder: Path, **sections: Any) -> Services:
    """Return services over the base in ``folder``, made empty where it may be written."""
    settings = settings_in(folder, **sections)
    if not settings.readonly:
        open_base(settings).close()
    return build_services(settings, SharedBase(lambda create: open_base(settings, create=create)))


def client_of(services: Services, **headers: str) -> TestClient:
    """Return a client that asks the service by its own address."""
    return TestClient(
        build_app(services),
        base_url=OWN_ADDRESS,
        headers=headers,
        raise_server_exceptions=False,
    )


def key_table(name: str, key: str, *scopes: str, tenant: str | None = None) -> dict[str, Any]:
    """Return the settings of an API key."""
    return {"name": name, "sha256": digest_of(key), "scopes": scopes, "tenant": tenant}


def with_key(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def fill(base: KnowledgeBase, texts: dict[str, str], *, tenant: str = "") -> None:
    """Store texts under their names."""
    for name, text in texts.items():
        base.ingest_text(text, name=name, tenant=tenant)
