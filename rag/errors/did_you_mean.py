"""What to say of a name that is not known: the nearest one that is."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

USUAL_LIKENESS = 0.6  # difflib's own
LONGEST = 80  # no name of ours is as long, and matching takes time by the square of it


def nearest(given: object, known: Iterable[str], *, likeness: float = USUAL_LIKENESS) -> str | None:
    """Return the known name nearest to what was given; None where none is near, or no text was."""
    if not isinstance(given, str):
        return None
    near = get_close_matches(given[:LONGEST], list(known), n=1, cutoff=likeness)
    return near[0] if near else None


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """Return what to do about a name that is not known."""
    near = nearest(given, known)
    return f"did you mean {near!r}?" if near else "leave it out, or take one of those allowed"
