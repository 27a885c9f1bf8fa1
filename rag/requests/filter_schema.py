"""The JSON schema of a look-up's filter, as an agent reads it."""

from __future__ import annotations

from typing import Any

from rag.ingest.records import Media, Trust
from rag.stores.filters import MAX_VALUES


def _texts(description: str, choices: list[str] | None = None) -> dict[str, Any]:
    one: dict[str, Any] = {"type": "string"}
    if choices is not None:
        one["enum"] = choices
    return {"type": "array", "items": one, "maxItems": MAX_VALUES, "description": description}


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", **more, "description": description}


FILTER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "description": "What evidence must satisfy: all keys at once, any value within a key.",
    "properties": {
        "tags": _texts("Has any of these tags."),
        "media": _texts("Was read from any of these kinds of file.", [str(one) for one in Media]),
        "lang": _texts("Is in any of these languages, by two-letter code, such as en or zh."),
        "source": _texts("Comes from any of these sources, by name."),
        "source_type": _texts("Comes from any of these types of source."),
        "trust_min": _text(
            "Comes from a source trusted at least this much, most first.",
            enum=[str(one) for one in Trust],
        ),
        "tenant": _text("Belongs to this tenant."),
        "path_prefix": _text("Has a path that begins so, literally, such as guide/."),
        "path_glob": _text("Has a path like this; * and ? stop at /, ** does not: docs/**/*.md."),
        "doc_id": _texts("Belongs to any of these documents."),
        "indexed_after": _text(
            "Was indexed at this time or later, with an offset: 2026-01-31T00:00:00Z.",
            format="date-time",
        ),
    },
}
