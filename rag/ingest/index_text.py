"""The words under which a chunk is found: its headings, then its text."""

from __future__ import annotations

import hashlib


def heading_text(title: str, heading_path: tuple[str, ...]) -> str:
    """Return the title and headings as one line, each said once: ``Guide > Install > Linux``."""
    parts = heading_path if title in heading_path else (title, *heading_path)
    return " > ".join(part for part in parts if part)


def index_text(title: str, heading_path: tuple[str, ...], text: str) -> str:
    """Return what is embedded for a chunk: its heading line, a line break, its verbatim text."""
    headings = heading_text(title, heading_path)
    return f"{headings}\n{text}" if headings else text


def index_hash(title: str, heading_path: tuple[str, ...], text: str) -> str:
    """Return the sha256 of :func:`index_text`, hexadecimal: equal hashes have equal vectors."""
    return hashlib.sha256(
        index_text(title, heading_path, text).encode("utf-8", "replace")
    ).hexdigest()
