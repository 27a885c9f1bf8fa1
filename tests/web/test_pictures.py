"""The pictures of the documentation, taken of the real pages.

RAG_TEST_SCREENSHOTS=docs/images pytest tests/web/test_pictures.py writes them anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.web.conftest import DESKTOP, PHONE, images_folder

LEAST_BYTES = 15_000  # an empty page is far less
PICTURES = {
    "look-up": "/?q=How+long+are+backups+kept%3F&k=6&budget=300",
    "refused": "/?q=asdkjh+qwoeiu+zxcm&k=5",
    "comparison": "/compare?q=who+is+on+call+when+the+database+is+down&other=lexical&k=8",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PICTURES)
def test_pictures_can_be_taken(
    browser: Browser, handbook_address: str, tmp_path: Path, name: str, scheme: Any
):
    context = browser.new_context(color_scheme=scheme, viewport=DESKTOP)
    page = context.new_page()
    page.goto(f"{handbook_address}{PICTURES[name]}")
    target = images_folder(tmp_path) / f"inspector-{name}-{scheme}.png"
    page.screenshot(path=target)
    context.close()
    assert target.stat().st_size > LEAST_BYTES


def test_a_picture_of_the_phone_can_be_taken(
    browser: Browser, handbook_address: str, tmp_path: Path
):
    context = browser.new_context(viewport=PHONE, is_mobile=True)
    page = context.new_page()
    page.goto(f"{handbook_address}{PICTURES['look-up']}")
    target = images_folder(tmp_path) / "inspector-phone.png"
    page.screenshot(path=target)
    context.close()
    assert target.stat().st_size > LEAST_BYTES
