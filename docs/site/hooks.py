"""What the site needs beyond its theme: links to files of the repository, tidy docstrings.

A page links to ``../README.md`` as it stands in the repository, which is right on GitHub.
The site has no such page, so the link leads to the file in the repository there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

BRANCH = "main"
_FENCE = re.compile(r"(^(`{3,})[^\n]*\n.*?^\2[ \t]*$)", re.DOTALL | re.MULTILINE)
_OUTSIDE = re.compile(r"\]\((?P<path>(?:\.\./)+[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")
_ROLE = re.compile(r":(?:class|func|meth|mod|attr|exc|data):<code>~?")  # Sphinx's, in docstrings


def on_page_markdown(markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links that leave ``docs/`` at the repository.

    Raises:
        PluginError: there is no such file.
    """
    docs = Path(config.docs_dir)
    repository = docs.parent
    folder = docs.joinpath(page.file.src_uri).parent

    def to_repository(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(folder / link["path"]))  # links in the tree stay as named
        if target.is_relative_to(docs):
            return link[0]
        if not target.is_relative_to(repository) or not target.exists():
            raise PluginError(f"{page.file.src_uri} links to {link['path']}, which does not exist")
        kind = "tree" if target.is_dir() else "blob"
        path = target.relative_to(repository).as_posix()
        repo_url = (config.repo_url or "").rstrip("/")
        return f"]({repo_url}/{kind}/{BRANCH}/{path}{link['anchor'] or ''})"

    prose_and_fences = _split_at_fences(markdown)
    return "".join(
        part if is_code else _OUTSIDE.sub(to_repository, part) for part, is_code in prose_and_fences
    )


def on_page_content(html: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Take Sphinx's roles off the names that docstrings mention."""
    return _ROLE.sub("<code>", html)


def _split_at_fences(markdown: str) -> list[tuple[str, bool]]:
    parts: list[tuple[str, bool]] = []
    end = 0
    for fence in _FENCE.finditer(markdown):
        parts += [(markdown[end : fence.start()], False), (fence[0], True)]
        end = fence.end()
    return [*parts, (markdown[end:], False)]
