"""Fills templates in."""

from __future__ import annotations

from typing import Any

from rag import __version__
from rag.surfaces.web.page_form import MODES, SHOWN_FILTERS, PageForm
from rag.surfaces.web.templates_environment import build_environment

_ENVIRONMENT = build_environment()
FILTER_LABELS = {
    "source": ("Source", "wiki, handbook"),
    "lang": ("Language", "en, zh"),
    "media": ("Kind of file", "markdown, pdf"),
    "tags": ("Tag", "ops"),
    "path_prefix": ("Path begins with", "guide/"),
    "path_glob": ("Path matches", "docs/**/*.md"),
    "trust_min": ("Least trust", "secondary"),
}


def render(template: str, *, page: str, **values: Any) -> str:
    """Return a page; ``page`` names it for the navigation."""
    values.setdefault("form", PageForm())
    return _ENVIRONMENT.get_template(template).render(
        page=page,
        version=__version__,
        modes=MODES,
        filter_fields=[(key, *FILTER_LABELS[key]) for key in SHOWN_FILTERS],
        **values,
    )
