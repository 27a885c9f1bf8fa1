"""Which texts of an answer may share their words, found for all pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag.evidence.word_set import LAST_ASCII, LAST_SPACE, SPACES, UNSPACED

# A chunk has some 100 distinct words, so that most of them get a place of their own.
PLACES = 512
REMEMBERED = 8_192
_PLACE_BITS = np.uint32(32 - PLACES.bit_length() + 1)
_SPREAD = np.uint32(2_246_822_519)  # odd, and otherwise without meaning (xxHash)
# A word is told by its length and its first, middle and last character. Words that agree in these
# share a place, which costs a comparison of sets now and then; reading them whole costs more.
_LENGTH, _FIRST, _MIDDLE, _LAST = np.multiply.accumulate(
    np.full(4, 2_654_435_769, dtype=np.uint32),
    dtype=np.uint32,  # odd as well (Knuth)
)

# Which code points are what: kind i is of those below edge i and not below the edge before it.
_IN_WORD, _SPACE, _UNSPACED = range(3)
_RANGES = sorted([(*ends, _SPACE) for ends in SPACES] + [(*ends, _UNSPACED) for ends in UNSPACED])
_EDGES = np.array([edge for first, last, _ in _RANGES for edge in (first, last + 1)], np.uint32)
_KINDS = np.array([_IN_WORD, *(k for *_, kind in _RANGES for k in (kind, _IN_WORD))], np.uint8)


class WordSignatures:
    """Compares the words of texts by bits, and remembers the bits of texts seen before.

    Memory is bounded: some 300 bytes a text, forgotten all at once. Safe to use from several
    threads.
    """

    def __init__(self, limit: int = REMEMBERED) -> None:
        self._limit = limit
        self._known: dict[_Key, _Signature] = {}

    def words_lacking(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many words of each text every other lacks at least, and how many it has.

        The first array has shape ``(n, n)``: entry (i, j) is a number of distinct words, as in
        :func:`rag.evidence.word_set.word_set`, of text i that are not in text j; the true number
        may be larger, where two words share one of the 512 places, and never smaller. The second
        has shape ``(n,)`` and counts words with repetition. Sets of words need then only be built
        for the few pairs that may be alike.
        """
        keys = [(hash(text), len(text)) for text in texts]  # not the text, to keep little
        known = {key: self._known[key] for key in keys if key in self._known}
        if len(known) < len(keys):
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            computed = dict(zip(new, _signatures(list(new.values())), strict=True))
            known |= computed
            if len(self._known) + len(computed) > self._limit:
                self._known.clear()
            self._known.update(list(computed.items())[: self._limit])
        joined = b"".join([known[key].bits for key in keys])
        bits = np.frombuffer(joined, dtype=np.uint64).reshape(len(keys), -1)
        # No matrix product: for so few numbers the threads that it may start cost more than it.
        words = np.ascontiguousarray(bits.T)  # long rows, which numpy goes through fastest
        lacking = np.bitwise_count(words[:, :, None] & ~words[:, None, :]).sum(0, dtype=np.int64)
        return lacking, np.array([known[key].words for key in keys])


class _Signature(NamedTuple):
    bits: bytes  # one per place
    words: int


_Key = tuple[int, int]


def _signatures(texts: list[str]) -> list[_Signature]:
    rows, places, counts = _placed_words(texts)
    present = np.zeros(len(texts) * PLACES, dtype=np.bool_)
    present[rows * PLACES + places] = True
    bits = np.packbits(present.reshape(-1, PLACES), axis=1)
    rows_of_bits, size = bits.tobytes(), PLACES // 8
    return [
        _Signature(rows_of_bits[at * size : (at + 1) * size], count)
        for at, count in enumerate(counts.tolist())
    ]


def _placed_words(
    texts: Sequence[str],
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]:
    """Return the text and place of every word, and the number of words of each text."""
    codes = _codes("\n".join(["", *texts, ""]))
    inside = codes > LAST_SPACE
    unspaced = np.zeros(0, dtype=np.int64)
    if codes.itemsize > 1:
        beyond = np.flatnonzero(codes >= LAST_ASCII)  # few in most texts
        kinds = _KINDS[np.searchsorted(_EDGES, codes[beyond], side="right")]
        inside[beyond] = kinds == _IN_WORD
        unspaced = beyond[kinds == _UNSPACED]
    # By turns the last character before a word and its own last; line breaks stand at both ends.
    borders = np.flatnonzero(inside[1:] ^ inside[:-1])
    starts, lasts = borders[::2] + 1, borders[1::2]
    hashes = (lasts - starts).astype(np.uint32) * _LENGTH
    hashes += codes[starts] * _FIRST
    hashes += codes[(starts + lasts) >> 1] * _MIDDLE
    hashes += codes[lasts] * _LAST
    ends = np.array(list(accumulate(len(text) + 1 for text in texts)))
    counts = _per_text(starts, ends)
    rows = np.repeat(np.arange(len(texts)), counts)
    if len(unspaced):
        pairs = unspaced[:-1][unspaced[1:] == unspaced[:-1] + 1]
        of_text = _per_text(pairs, ends)
        hashes = np.concatenate((hashes, codes[pairs] * _FIRST + codes[pairs + 1] * _LAST))
        rows = np.concatenate((rows, np.repeat(np.arange(len(texts)), of_text)))
        counts = counts + of_text
    hashes ^= hashes >> np.uint32(16)
    return rows, hashes * _SPREAD >> _PLACE_BITS, counts


def _codes(text: str) -> NDArray[np.unsignedinteger]:
    """Return the code points of a text in the narrowest type that holds each of them."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    narrow = text.encode("utf-16-le", "surrogatepass")
    if len(narrow) == 2 * len(text):
        return np.frombuffer(narrow, dtype=np.uint16)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _per_text(positions: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    before = np.searchsorted(positions, ends, side="right")
    counts = before.copy()
    counts[1:] -= before[:-1]
    return counts
