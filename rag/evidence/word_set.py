"""The words of a chunk, as near-duplicate detection compares them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

SIGNATURE_BITS = 512  # a chunk has some 100 distinct words, so that most get a bit of their own
LONGEST_WORD = 16  # a longer run that is not ASCII is writing without spaces, such as Chinese
CACHED_SIGNATURES = 8_192  # some 300 bytes each

_BITS = tuple(1 << place for place in range(SIGNATURE_BITS))
# A number, date or version at the start; or a joint inside, as in fastapi.File, max_size, a/b, x=1.
_NAME = re.compile(r"\W*v?\d|.*\w[._/:=@]+\w|.*`")


def word_set(text: str) -> set[str]:
    """Return the distinct words of a text, case folded; punctuation stays with its word.

    A long run without spaces in a script other than Latin counts as its pairs of characters.
    This is cheaper than the analyser by an order of magnitude, and only ever compared with itself.
    """
    words = set(text.casefold().split())
    if text.isascii():
        return words
    for run in [word for word in words if len(word) > LONGEST_WORD and not word.isascii()]:
        words.remove(run)
        words.update(map("".join, pairwise(run)))
    return words


def is_name(word: str) -> bool:
    """Whether a word names one thing: a number, version, identifier, path or address."""
    return _NAME.match(word) is not None


class Signature(NamedTuple):
    """A bit per word, and how many words there are.

    Every bit of one signature that another lacks stands for at least one word that the other's
    text lacks, so signatures rule pairs out exactly and cheaply. Bits differ between processes;
    what follows from them does not.
    """

    bits: int
    words: int


class SignatureCache:
    """Signatures by text, bounded; emptied when full. Safe to use from several threads."""

    def __init__(self, limit: int = CACHED_SIGNATURES) -> None:
        self._limit = limit
        self._known: dict[tuple[int, int], Signature] = {}

    def signature(self, text: str) -> Signature:
        """Return the signature of a text."""
        key = (hash(text), len(text))  # not the text, to keep little; hashes are salted per process
        known = self._known.get(key)
        if known is None:
            words, bits = word_set(text), 0
            for word in words:
                bits |= _BITS[hash(word) % SIGNATURE_BITS]
            known = Signature(bits, len(words))
            if len(self._known) >= self._limit:
                self._known.clear()
            self._known[key] = known
        return known
