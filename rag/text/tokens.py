"""One occurrence of a term in a text."""

from __future__ import annotations

from typing import NamedTuple


class Token(NamedTuple):
    """A term and the range of the original text it was read from; cheap, as there are many.

    ``text[start:end]`` is the surface, verbatim. Tokens overlap where a word is kept whole and
    also split, and where a run of Han, Kana or Hangul becomes bigrams.
    """

    term: str
    start: int
    end: int
