"""Which paths a document may be stored under."""

from __future__ import annotations

import unicodedata

# Control characters, line and paragraph separators, halves of surrogate pairs: a path that holds
# one cannot be shown on a line, typed, or passed on to another program.
_REFUSED = frozenset({"Cc", "Zl", "Zp", "Cs"})


def unusable_character(uri: str) -> str | None:
    """Return the first character that no document's path may hold, as ``U+000A``; None if none."""
    if uri.isprintable():
        return None
    return next((f"U+{ord(char):04X}" for char in uri if _is_refused(char)), None)


def on_one_line(uri: str) -> str:
    r"""Return the path with such characters as they are written in code: ``a\nb.md``."""
    return "".join(
        char.encode("unicode_escape").decode() if _is_refused(char) else char for char in uri
    )


def _is_refused(char: str) -> bool:
    return unicodedata.category(char) in _REFUSED
