"""Retrieved text in a page: escaped, and with nothing in it that changes how it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

# Control characters but tab and line feed; and those that turn the direction of writing round,
# with which a text can show something else than it says.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def visible(text: str) -> str:
    """Return text of the same length with control and direction characters shown as such."""
    return _UNSEEN.sub(REPLACEMENT, text)


def marked(text: str, matches: Iterable[tuple[int, int]]) -> Markup:
    """Return text as HTML with the character ranges ``matches`` in ``<mark>``.

    Ranges are in order and apart, as a snippet gives them.
    """
    shown = visible(text)
    parts: list[Markup] = []
    at = 0
    for start, end in matches:
        parts += [escape(shown[at:start]), Markup("<mark>"), escape(shown[start:end])]
        parts.append(Markup("</mark>"))
        at = end
    parts.append(escape(shown[at:]))
    return Markup("").join(parts)
