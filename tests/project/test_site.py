"""The documentation site: complete, built without a warning, and read without other hosts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from mkdocs.config import load_config
from playwright.sync_api import Browser

import rag
from tests.project.repository import (
    ROOT,
    distribution_name,
    one_a_line,
    project_metadata,
    table_rows,
)
from tests.surfaces.web.conftest import DESKTOP, PHONE, browser

__all__ = ["browser"]  # a fixture, which pytest finds by its name here


DOCS = ROOT / "docs"
CONFIG = ROOT / "mkdocs.yml"
PYTHON_API = DOCS / "python-api.md"
# The theme announces its successor on every build; that is no fault of the site.
QUIET = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
ASSETS = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
FOREIGN_IN_CSS = re.compile(r"(?:@import|url\()\s*[\"']?((?:https?:)?//[^\"')]+)")
NO_ASSET = {"canonical", "next", "prev", "alternate"}  # a link that no browser follows by itself


def _build(config: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        # not -q: then warnings are neither shown nor counted, and --strict has nothing to refuse
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", config, "-d", site],
        env=QUIET,
        cwd=config.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = _build(CONFIG, folder)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def _pages(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for value in entry.values():
            yield from _pages(value)
    else:
        for item in entry:
            yield from _pages(item)


def test_the_navigation_lists_every_page_once_and_the_landing_page_first():
    listed = list(_pages(load_config(str(CONFIG)).nav))
    assert listed[0] == "index.md"
    assert sorted(listed) == sorted(page.name for page in DOCS.glob("*.md"))


def test_the_landing_page_lists_pages_in_the_order_of_the_navigation():
    listed = list(_pages(load_config(str(CONFIG)).nav))[1:]
    shown = re.findall(
        r"^\| \[[^]]+\]\((\S+\.md)\) \|", (DOCS / "index.md").read_text("utf-8"), re.M
    )
    assert shown == listed


def test_a_page_has_one_name_in_the_navigation_and_on_the_landing_page():
    named = {
        page: title
        for group in load_config(str(CONFIG)).nav[1:]
        for entry in next(iter(group.values()))
        for title, page in entry.items()
    }
    text = (DOCS / "index.md").read_text("utf-8")
    assert {
        page: name for name, page in re.findall(r"^\| \[(.+?)\]\((\S+)\) \|", text, re.M)
    } == named


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.assets: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("rel") not in NO_ASSET:
            self.assets += [value for name, value in attrs if (tag, name) in ASSETS and value]
        if name := given.get("id"):
            self.ids.add(name)
        if tag == "a" and (target := given.get("href")):
            self.links.append(target)


def _tags(page: Path) -> _Tags:
    tags = _Tags()
    tags.feed(page.read_text("utf-8"))
    return tags


def test_a_strict_build_gives_a_page_for_every_page(site: Path):
    for page in DOCS.glob("*.md"):
        folder = site if page.stem == "index" else site / page.stem
        assert (folder / "index.html").is_file(), page.name


def test_no_page_makes_a_browser_ask_another_host(site: Path):
    found = []
    for page in site.rglob("*.html"):
        foreign = [asset for asset in _tags(page).assets if re.match(r"(?:https?:)?//", asset)]
        found += [f"{page.relative_to(site)}: {asset}" for asset in foreign]
    for sheet in site.rglob("*.css"):
        foreign = FOREIGN_IN_CSS.findall(sheet.read_text("utf-8"))
        found += [f"{sheet.relative_to(site)}: {asset}" for asset in foreign]
    assert found == [], one_a_line(found)


def test_the_script_that_asks_the_host_of_the_repository_is_not_called(site: Path):
    """The theme's script fetches stars and releases for elements with this mark."""
    marked = [page for page in site.rglob("*.html") if 'component="source"' in page.read_text()]
    assert marked == []


def test_a_link_to_a_file_of_the_repository_leads_there(site: Path):
    repository = load_config(str(CONFIG)).repo_url
    assert f"{repository}/blob/main/README.md" in _tags(site / "index.html").links


def test_what_makes_the_site_is_not_part_of_it(site: Path):
    assert list(site.rglob("*.py")) == []
    assert not (site / "site" / "theme").exists()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("[gone](gone.md)", "'gone.md'"),
        ("[no such heading](answerability.md#no-such-heading)", "no-such-heading"),
        ("[from the root](/answerability.md)", "/answerability.md"),
        ("![no picture](images/none.png)", "images/none.png"),
    ],
)
def test_a_dead_link_fails_the_build_and_is_named(tmp_path: Path, fault: str, said: str):
    for entry in ROOT.iterdir():
        if entry.name not in {"docs", "mkdocs.yml", ".git"}:
            (tmp_path / entry.name).symlink_to(entry)
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(CONFIG, tmp_path)
    with (tmp_path / "docs" / "quickstart.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{fault}\n")
    built = _build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert built.returncode != 0
    assert "quickstart.md" in built.stderr
    assert said in built.stderr


def test_a_link_to_no_file_of_the_repository_fails_the_build(tmp_path: Path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("# Start\n\n[gone](../GONE.md)\n", encoding="utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(f"site_name: x\nhooks: ['{DOCS / 'site' / 'hooks.py'}']\n", encoding="utf-8")
    built = _build(config, tmp_path / "site")
    assert built.returncode != 0
    assert "index.md links to ../GONE.md, which does not exist" in built.stdout + built.stderr


def test_code_blocks_are_left_as_they_are(tmp_path: Path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("# A\n\n```md\n[gone](../GONE.md)\n```\n", encoding="utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(f"site_name: x\nhooks: ['{DOCS / 'site' / 'hooks.py'}']\n", encoding="utf-8")
    built = _build(config, tmp_path / "site")
    assert built.returncode == 0, built.stdout + built.stderr


def test_the_site_is_built_by_the_command_that_contributors_are_told():
    command = "NO_MKDOCS_2_WARNING=1 mkdocs build --strict"
    for name in (".ci/run", "CONTRIBUTING.md", "AGENTS.md", "docs/index.md"):
        assert command in (ROOT / name).read_text("utf-8"), name


def test_signatures_are_wrapped_by_what_the_extra_brings(site: Path):
    """Without a formatter, a signature is one long line and the build says so."""
    extras = project_metadata()["optional-dependencies"]["docs"]
    assert "ruff" in {distribution_name(requirement) for requirement in extras}
    page = (site / "python-api" / "index.html").read_text("utf-8")
    signature = re.search(r'id="rag.base.knowledge_base.KnowledgeBase.ingest".*?</pre>', page, re.S)
    assert signature is not None
    assert signature[0].count("\n") > 5


@pytest.mark.parametrize("screen", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_code_in_a_table_is_never_broken_and_no_page_is_wider_than_the_screen(
    site: Path, browser: Browser, screen: Any
):
    broken = """() => [...document.querySelectorAll(".md-typeset :is(td, th) code")]
        .filter(code => code.getClientRects().length > 1).map(code => code.textContent)"""
    excess = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    page = browser.new_page(viewport=screen)
    found = {}
    for file in sorted(site.glob("*/index.html")):
        page.goto(file.as_uri(), wait_until="load")
        found[file.parent.name] = (page.evaluate(broken), page.evaluate(excess))
    page.close()
    assert {name: fault for name, fault in found.items() if fault != ([], 0)} == {}


def test_the_python_api_lists_the_public_names_and_the_methods_of_a_base():
    names = [row[0].strip("`") for row in table_rows(PYTHON_API, "## Public names")]
    assert sorted(names) == sorted(f"rag.{name}" for name in rag.__all__)
    methods = [row[0].strip("`") for row in table_rows(PYTHON_API, "## What a base does")]
    public = [name for name in vars(rag.KnowledgeBase) if not name.startswith("_")]
    assert sorted(methods) == sorted(public)


def test_the_python_api_has_the_signature_of_every_public_name(site: Path):
    ids = _tags(site / "python-api" / "index.html").ids
    for name in rag.__all__:
        if name != "__version__":
            thing = getattr(rag, name)
            home = "rag.assembly" if name == "open" else thing.__module__
            candidates = {f"{home}.{thing.__name__}", f"rag.settings.{thing.__name__}"}
            assert candidates & ids, name
    for method in vars(rag.KnowledgeBase):
        if not method.startswith("_"):
            assert f"rag.base.knowledge_base.KnowledgeBase.{method}" in ids
