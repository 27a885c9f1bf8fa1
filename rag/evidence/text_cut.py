"""Where a text may be cut short: after a line or a sentence."""

from __future__ import annotations

import re

# The end of a line; of a sentence before white space; of a CJK sentence, which needs none.
_BOUNDARY = re.compile(r"\n|[.!?…][\"'”’)\]]*(?=\s|\Z)|[。！？；．｡][」』”’）〉》】]*")


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
