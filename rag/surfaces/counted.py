"""A number with the word for what it counts."""

from __future__ import annotations


def counted(number: int, one: str, several: str | None = None) -> str:
    """Return ``1 chunk``, ``2 chunks``, ``0 chunks``; ``several`` is the plural, if not by an s."""
    return f"{number} {one if number == 1 else several or one + 's'}"
