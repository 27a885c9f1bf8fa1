"""The pictures of the documentation, taken of the real pages.

RAG_TEST_SCREENSHOTS=docs/images pytest tests/surfaces/web/test_pictures.py writes them anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from rag.samples import handbook_path
from tests.surfaces.http_api.running import running
from tests.surfaces.http_api.service import services_in
from tests.surfaces.web.conftest import DESKTOP, PHONE

LEAST_BYTES = 15_000  # an empty page is far less
PICTURES = {
    "look-up": "/?q=How+long+are+backups+kept%3F&k=6&budget=300",
    "refused": "/?q=asdkjh+qwoeiu+zxcm&k=5",
    "comparison": "/compare?q=who+is+on+call+when+the+database+is+down&other=lexical&k=8",
}


FOLDER = os.environ.get("RAG_TEST_SCREENSHOTS")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service over the handbook; with the default model where the pictures are to be kept."""
    embedding = {"embedder": "minilm" if FOLDER else "hashing", "cache": False}
    small = {"target_tokens": 96, "max_tokens": 192}  # the handbook is tiny
    services = services_in(tmp_path_factory.mktemp("pictured"), embedding=embedding, chunking=small)
    services.base.ingest(handbook_path())
    with running(services) as (address, _):
        yield address


@pytest.fixture
def images(tmp_path: Path) -> Path:
    return Path(FOLDER) if FOLDER else tmp_path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PICTURES)
def test_pictures_can_be_taken(
    browser: Browser, address: str, images: Path, name: str, scheme: Any
):
    context = browser.new_context(color_scheme=scheme, viewport=DESKTOP)
    page = context.new_page()
    page.goto(f"{address}{PICTURES[name]}")
    target = images / f"inspector-{name}-{scheme}.png"
    page.screenshot(path=target)
    context.close()
    assert target.stat().st_size > LEAST_BYTES


def test_a_picture_of_the_phone_can_be_taken(browser: Browser, address: str, images: Path):
    context = browser.new_context(viewport=PHONE, is_mobile=True)
    page = context.new_page()
    page.goto(f"{address}{PICTURES['look-up']}")
    target = images / "inspector-phone.png"
    page.screenshot(path=target)
    context.close()
    assert target.stat().st_size > LEAST_BYTES
