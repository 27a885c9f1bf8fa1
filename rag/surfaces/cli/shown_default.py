"""What ``--help`` says of an option that is left out."""

from __future__ import annotations

from collections.abc import Callable
from shlex import quote
from typing import Any


def shown_default(value: Any) -> str | None:
    """Return a default as it would be written; None where leaving the option out says it all."""
    if value is None or value is False or value in ("", ()):
        return None
    return f"default {_written(value)}"


def default_of(setting: str) -> Callable[[Any], str]:
    """Return what says which setting stands in for an option, such as ``search.k``, and its own.

    The settings are read when help is asked for, not before.
    """

    def said(_value: Any) -> str:
        from rag.settings import Settings

        section, _, name = setting.partition(".")
        value = getattr(getattr(Settings.model_construct(), section), name)
        written = "none" if value in (None, ()) else _written(value)
        return f"default: {setting}, {written}"

    return said


def _written(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else quote(str(value))
