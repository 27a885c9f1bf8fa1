"""The settings as a commented TOML file: every one, its default, what it does."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rag.settings import Settings

HEADER = """\
# Settings of a rag base. Every line is a default: uncomment and change what you need.
# The environment wins over this file: RAG_STORE__URI over uri under [store].
"""


def settings_toml() -> str:
    """Return a rag.toml that changes nothing until a line is uncommented."""
    top = [
        line
        for name, field in Settings.model_fields.items()
        if not _is_section(field)
        for line in _lines(name, field)
    ]
    parts = [HEADER, *top]
    for name, field in Settings.model_fields.items():
        if _is_section(field):
            section = type(field.default)
            parts += ["", f"# {(section.__doc__ or '').strip()}", f"[{name}]"]
            for key, inner in section.model_fields.items():
                parts += _lines(key, inner)
    return "\n".join(parts) + "\n"


def _is_section(field: FieldInfo) -> bool:
    return isinstance(field.default, BaseModel)


def _lines(name: str, field: FieldInfo) -> list[str]:
    return [f"# {field.description}", f"# {name} = {_toml_value(field.default)}"]


def _toml_value(value: Any) -> str:
    if value is None:
        return '""  # not set'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, tuple):
        return json.dumps(list(value))
    return json.dumps(str(value), ensure_ascii=False)
