"""Which texts of an answer may share their words, found for all pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag.evidence.word_set import LAST_ASCII, LAST_SPACE, SPACES, UNSPACED

# A chunk has some 100 distinct words, so that most of them get a place of their own.
PLACES = 512
REMEMBERED = 8_192
_PLACE_BITS = np.uint64(64 - PLACES.bit_length() + 1)
_BASE = np.uint64(6364136223846793005)  # odd, and otherwise without meaning (Knuth's MMIX)
_SPREAD = np.uint64(1442695040888963407)
# Characters further on in a word share the last weight.
_WEIGHTS = np.multiply.accumulate(np.full(64, _BASE))


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
        lacking = np.bitwise_count(bits[:, None, :] & ~bits[None, :, :]).sum(2, dtype=np.int64)
        return lacking, np.array([known[key].words for key in keys])


class _Signature(NamedTuple):
    bits: bytes  # one per place
    words: int


_Key = tuple[int, int]


def _signatures(texts: list[str]) -> list[_Signature]:
    rows, places, counts = _hashed_words(texts)
    present = np.zeros((len(texts), PLACES), dtype=np.bool_)
    present[rows, places] = True
    bits = np.packbits(present, axis=1)
    return [
        _Signature(row.tobytes(), count) for row, count in zip(bits, counts.tolist(), strict=True)
    ]


def _hashed_words(
    texts: Sequence[str],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the text and place of every word, and the number of words of each text."""
    joined = "\n".join(texts)
    codes: NDArray[np.unsignedinteger]
    if joined.isascii():
        codes = np.frombuffer(joined.encode("ascii"), dtype=np.uint8)
        beyond = np.zeros(0, dtype=np.int64)
    else:
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        beyond = np.flatnonzero(codes >= LAST_ASCII)  # few in most texts
    inside, unspaced = codes > LAST_SPACE, np.zeros(len(codes), dtype=np.bool_)
    unspaced[beyond] = _within(codes[beyond], UNSPACED)
    inside[beyond] = ~(unspaced[beyond] | _within(codes[beyond], SPACES))
    ends = np.cumsum([len(text) + 1 for text in texts])
    starts = np.flatnonzero(inside & ~np.concatenate(([False], inside[:-1])))
    hashes = _word_hashes(codes, inside, starts)
    counts = _per_text(starts, ends)
    rows = np.repeat(np.arange(len(texts)), counts)
    if len(beyond):
        pairs = np.flatnonzero(unspaced[:-1] & unspaced[1:])
        of_pairs = codes[pairs] * _BASE + codes[pairs + 1]
        hashes = np.concatenate((hashes, of_pairs))
        of_text = _per_text(pairs, ends)
        rows = np.concatenate((rows, np.repeat(np.arange(len(texts)), of_text)))
        counts = counts + of_text
    hashes ^= hashes >> np.uint64(32)
    return rows, (hashes * _SPREAD >> _PLACE_BITS).astype(np.int64), counts


def _word_hashes(
    codes: NDArray[np.unsignedinteger], inside: NDArray[np.bool_], starts: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return Σ code · weight of its place in the word, for each word."""
    if len(starts) == 0:
        return np.zeros(0, dtype=np.uint64)
    first = starts[0]
    places = np.arange(first, len(codes), dtype=np.int32)
    places -= np.repeat(starts.astype(np.int32), np.diff(starts, append=len(codes)))
    weights = _WEIGHTS[np.minimum(places, len(_WEIGHTS) - 1, out=places)]
    weights *= codes[first:] * inside[first:]
    return np.asarray(np.add.reduceat(weights, starts - first), dtype=np.uint64)


def _per_text(positions: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.diff(np.searchsorted(positions, ends), prepend=0)


def _within(
    codes: NDArray[np.unsignedinteger], ranges: tuple[tuple[int, int], ...]
) -> NDArray[np.bool_]:
    found = np.zeros(len(codes), dtype=np.bool_)
    for first, last in ranges:
        found |= (codes >= first) & (codes <= last)
    return found
