"""A real browser against a real service; everything it logs or asks of others is a failure."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from rag.answerability.profile import shipped_profile
from rag.assembly import open_base
from rag.samples import handbook_path
from rag.surfaces.http_api.services import build_services
from rag.surfaces.shared_base import SharedBase
from rag.testing import HashingEmbedder
from tests.surfaces.http_api.running import running
from tests.surfaces.http_api.service import services_in, settings_in

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# As root in a container, and with no network: the browser's own errands would only fail.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")  # its event loop must not outlive the file: others run their own
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        assert not os.environ.get("CI"), "the checks need Chromium: apt-get install chromium"
        pytest.skip("no Chromium on this machine; install one with: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def handbook_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service over the sample handbook, which no test changes."""
    small = {"target_tokens": 64, "max_tokens": 128}  # so that there are hits enough
    services = services_in(tmp_path_factory.mktemp("inspected"), chunking=small)
    services.base.ingest(handbook_path())
    with running(services) as (address, _):
        yield address


@pytest.fixture(scope="session")
def calibrated_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service over the sample handbook with a profile that is here for the embedder of tests."""
    folder = tmp_path_factory.mktemp("calibrated")
    own = replace(shipped_profile(), embedder=HashingEmbedder().identity, corpora=("one", "two/zh"))
    (folder / "profile.json").write_text(own.to_json(), encoding="utf-8")
    answerability = {"profile": str(folder / "profile.json")}
    services = services_in(folder, answerability=answerability)
    services.base.ingest(handbook_path())
    with running(services) as (address, _):
        yield address


@pytest.fixture(scope="session")
def empty_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service over a base that was made, and holds nothing."""
    with running(services_in(tmp_path_factory.mktemp("empty"))) as (address, _):
        yield address


@pytest.fixture(scope="session")
def missing_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service whose base nobody has made yet."""
    settings = settings_in(tmp_path_factory.mktemp("missing"))
    shared = SharedBase(lambda create: open_base(settings, create=create))
    with running(build_services(settings, shared)) as (address, _):
        yield address


HOSTILE = "<script>window.hacked = 1; alert(1)</script><img src=x onerror='window.hacked=1'>"


@pytest.fixture(scope="session")
def hostile_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service over a document that is hostile in its text, its title and its path."""
    services = services_in(tmp_path_factory.mktemp("hostile"))
    text = f"---\ntitle: \"{HOSTILE}\"\ntags: ['<b onclick=alert(1)>']\n---\n# Keys {HOSTILE}\n\n"
    text += f"Rotate the keys. {HOSTILE} \N{RIGHT-TO-LEFT OVERRIDE}yllaer\x07 </pre></mark> keys\n"
    services.base.ingest_text(text, name="a\"'<svg onload=alert(1)>/keys #1?.md", source="x")
    services.base.ingest_text("The keys of others.", name="plain.md")
    with running(services) as (address, _):
        yield address


def watched(page: Page, own: str) -> list[str]:
    """Return a list that gets whatever a page does that it should not."""
    faults: list[str] = []

    def on_request(url: str) -> None:
        if not url.startswith(own):
            faults.append(f"asked {url}")

    def on_console(kind: str, text: str) -> None:
        # The browser logs each page of ours that says 400, or 503 where there is no base.
        expected = "status of 4" in text or "status of 503" in text
        if kind in {"error", "warning"} and not expected:
            faults.append(f"{kind}: {text}")

    page.on("request", lambda request: on_request(request.url))
    page.on("console", lambda message: on_console(message.type, message.text))
    page.on("pageerror", lambda error: faults.append(f"exception: {error}"))
    page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
    return faults


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of a fresh profile; the test fails if it does anything behind one's back."""
    context = browser.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.set_default_timeout(15_000)
    faults = watched(page, "http://127.0.0.1:")
    yield page
    context.close()
    assert faults == []
