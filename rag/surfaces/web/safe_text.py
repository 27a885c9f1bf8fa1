"""Retrieved text in a page: escaped, and with nothing in it that changes how it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

# Control characters but tab and line feed; and those that turn the direction of writing round,
# with which a text can show something else than it says.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# An option such as --dry-run: a browser would break the line after any of its hyphens. The length
# is bounded, so that one that is kept whole fits a phone.
_OPTION = re.compile(r"(?<![^\s(\[\"'`|,=])--?[A-Za-z0-9][A-Za-z0-9-]{0,23}(?![A-Za-z0-9-])")
_KEPT, _MARK = (
    (Markup('<span class="kept">'), Markup("</span>")),
    (Markup("<mark>"), Markup("</mark>")),
)

_Range = tuple[int, int]


def visible(text: str) -> str:
    """Return text of the same length with control and direction characters shown as such."""
    return _UNSEEN.sub(REPLACEMENT, text)


def marked(text: str, matches: Iterable[_Range] = ()) -> Markup:
    """Return text as HTML with the character ranges ``matches`` in ``<mark>``.

    Ranges are in order and apart, as a snippet gives them. An option is kept on one line, unless
    a match stands partly outside it.
    """
    shown, given = visible(text), list(matches)
    parts: list[Markup] = []
    at = 0
    for start, end in (found.span() for found in _OPTION.finditer(shown)):
        if any(low < edge < high for low, high in given for edge in (start, end)):
            continue
        before = [one for one in given if at <= one[0] < start]
        inside = [one for one in given if start <= one[0] < end]
        parts += [_with_marks(shown, at, start, before), _KEPT[0]]
        parts += [_with_marks(shown, start, end, inside), _KEPT[1]]
        at = end
    parts.append(_with_marks(shown, at, len(shown), [one for one in given if at <= one[0]]))
    return Markup("").join(parts)


def _with_marks(text: str, at: int, end: int, matches: Sequence[_Range]) -> Markup:
    """Return a part of a text as HTML, with the matches in it marked."""
    parts: list[Markup] = []
    for low, high in matches:
        parts += [escape(text[at:low]), _MARK[0], escape(text[low:high]), _MARK[1]]
        at = high
    parts.append(escape(text[at:end]))
    return Markup("").join(parts)
