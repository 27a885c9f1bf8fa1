"""Where a text ends that is shown: with its last line, or cut short after a line or a sentence."""

from __future__ import annotations

import re

# The end of a line; of a sentence before white space; of a CJK sentence, which needs none.
_BOUNDARY = re.compile(r"\n|[.!?…][\"'”’)\]]*(?=\s|\Z)|[。！？；．｡][」』”’）〉》】]*")


def without_blank_end(text: str) -> str:
    """Return the text up to the end of its last line that is not blank, line break included.

    So it ends where the lines that its citation names do. A text of white space stays as it is.
    """
    shown = text.rstrip()
    line_break = text.find("\n", len(shown))
    return text if not shown or line_break < 0 else text[: line_break + 1]


def cut_at_boundary(text: str, limit: int) -> str:
    """Return the longest beginning of at most ``limit`` characters that ends a line or sentence.

    White space at its end is left off. Empty where no line or sentence ends in time.
    """
    end = 0
    for boundary in _BOUNDARY.finditer(text, 0, limit + 1):
        if boundary.end() > limit:
            break
        end = boundary.end()
    return text[:end].rstrip()
