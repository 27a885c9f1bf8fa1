"""How far two pieces of one document overlap, as sliding windows do."""

from __future__ import annotations

PROBE_CHARS = 16  # a beginning long enough to be found once
MOST_TRIES = 64  # a text that repeats its beginning more often is no prose


def shared_run(text: str, other: str) -> int:
    """Return how many characters of ``text`` stand verbatim at an edge of ``other``.

    That is all of the shorter text where the longer holds it, and otherwise the longest end of
    one that is a beginning of the other. White space at the edges does not count.
    """
    text, other = text.strip(), other.strip()
    if text in other:
        return len(text)
    if other in text:
        return len(other)
    return max(_end_to_beginning(text, other), _end_to_beginning(other, text))


def _end_to_beginning(first: str, second: str) -> int:
    probe = second[:PROBE_CHARS]
    at = first.find(probe)
    for _ in range(MOST_TRIES):
        if at < 0:
            return 0
        if second.startswith(first[at:]):
            return len(first) - at
        at = first.find(probe, at + 1)
    return 0
