"""The pages' templates: everything escaped, and a name that is missing is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rag.retrieval.records import MAX_QUERY_CHARS
from rag.surfaces.web.hit_rows import drop_words
from rag.surfaces.web.safe_text import marked, visible

TEMPLATES = Path(__file__).parent / "templates"
BAR_WIDTH = 100  # of the drawings, in their own units


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _percent_width(value: float | None) -> str:
    return f"{round(min(1.0, max(0.0, value or 0.0)) * BAR_WIDTH, 2):g}"


def _percent(probability: float) -> str:
    """Return a probability in per cent; none is certain, so neither 0 nor 100 is said."""
    if probability < 0.01:
        return "< 1 %"
    return "> 99 %" if probability > 0.99 else f"{probability:.0%}".replace("%", " %")


def _day(instant: str) -> str:
    """Return an ISO time to the minute, without its T."""
    return instant[:16].replace("T", " ")


def build_environment() -> Environment:
    """Return the environment; a template is read once."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    filters: dict[str, Any] = {
        "visible": visible,
        "kept": marked,
        "number": _number,
        "width": _percent_width,
        "day": _day,
        "percent": _percent,
        "drop_words": drop_words,
        "words": lambda name: str(name).replace("_", " "),
    }
    environment.filters.update(filters)
    environment.globals["longest_question"] = MAX_QUERY_CHARS  # macros see globals alone
    return environment
