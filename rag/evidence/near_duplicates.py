"""Which chunks of one answer say what a better ranked one has said already."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag.evidence.shared_run import shared_run
from rag.evidence.word_set import is_name, word_set
from rag.evidence.word_signatures import WordSignatures
from rag.ingest.index_text import heading_text
from rag.ranking.records import StoredChunk

# Fewer words stand in a long text by chance, and their meaning is in the heading above them.
LEAST_WORDS = 16
# A shorter run may be a phrase that list items share, unless the two stand on the same lines.
LEAST_RUN_CHARS = 80
# A window that repeats half of one already dropped belongs to the same run of windows.
FAMILY_OVERLAP = 0.5
_ROUNDING = 1e-9  # so that a share of exactly the threshold reaches it


class NearDuplicates:
    """Finds, among the chunks of one answer, those that repeat a kept one.

    Chunks are named by their place in the answer; whoever asks says with ``keep`` which are kept,
    best ranked first. ``texts`` are the chunks' texts without white space at their ends.
    Two rules decide, neither of which knows a score:

    - *Same words*, in any documents: at least ``threshold`` of the chunk's distinct words stand in
      one kept chunk. Never so for a chunk of fewer than sixteen words, nor where a word that the
      kept one lacks is a number or an identifier or stands in the chunk's headings: pages written
      from one template differ in just these, and answer different questions.
    - *Sliding windows*, under one heading of one document: a verbatim run of at least
      ``window_overlap`` of the chunk's text ends or begins a kept chunk; or a shorter run does,
      and half of the chunk stands in a window that was dropped for the same kept chunk.

    The share is of the candidate, so a long chunk is not dropped for holding a short one.
    """

    def __init__(
        self,
        chunks: Sequence[StoredChunk],
        texts: Sequence[str],
        signatures: WordSignatures,
        *,
        threshold: float,
        window_overlap: float,
    ) -> None:
        self._chunks = chunks
        self._texts = texts
        self._slack = 1.0 - threshold
        self._window = window_overlap
        self._kept: set[int] = set()
        self._words: dict[int, set[str]] = {}
        self._window_of: dict[int, int] = {}  # each dropped window's kept chunk
        lacking, words = signatures.words_lacking(texts)
        self._alike = _earlier(lacking <= (self._slack * words + _ROUNDING)[:, None])
        # A shared run shares its words, save the two that its edges cut.
        most = (1.0 - min(window_overlap, FAMILY_OVERLAP)) * words + 2
        together = _same_place(chunks)
        self._adjoining = (
            {} if together is None else _earlier((lacking <= most[:, None]) & together)
        )

    def original_of(self, place: int) -> int | None:
        """Return the place of the best ranked kept chunk that this one repeats, or None."""
        for other in self._alike.get(place, ()):
            if other in self._kept and self._same_words(place, other):
                return other
        near = self._adjoining.get(place, ())
        for other in near:
            if other in self._kept and self._share(place, other) >= self._window:
                self._window_of[place] = other
                return other
        for window in near:
            kept = self._window_of.get(window)
            if (
                kept is not None
                and self._share(place, window) >= FAMILY_OVERLAP
                and self._share(place, kept) > 0
            ):
                self._window_of[place] = kept
                return kept
        return None

    def keep(self, place: int) -> None:
        """Remember that the chunk at this place is kept."""
        self._kept.add(place)

    def _same_words(self, place: int, other: int) -> bool:
        chunk, kept = self._chunks[place], self._chunks[other]
        words = self._words_of(place)
        own = words - self._words_of(other)
        if len(words) < LEAST_WORDS or len(own) > self._slack * len(words) + _ROUNDING:
            return False
        if any(map(is_name, own)):
            return False
        read = word_set(f"{_headings(kept)}\n{kept.text}".casefold())
        return word_set(_headings(chunk).casefold()) <= read

    def _words_of(self, place: int) -> set[str]:
        words = self._words.get(place)
        if words is None:
            words = self._words[place] = word_set(self._texts[place])
        return words

    def _share(self, place: int, other: int) -> float:
        """Return what share of a chunk's text the other repeats at an edge, 0.0 if by chance."""
        text = self._texts[place]
        run = shared_run(text, self._texts[other])
        here, there = self._chunks[place].span, self._chunks[other].span
        apart = here.end < there.start or there.end < here.start
        if run == 0 or (apart and run < LEAST_RUN_CHARS):
            return 0.0
        return run / len(text) + _ROUNDING


def _earlier(pairs: NDArray[np.bool_]) -> dict[int, list[int]]:
    """Return for each place the earlier places that it is paired with, best ranked first."""
    found: dict[int, list[int]] = {}
    for place, other in np.argwhere(pairs).tolist():
        if other < place:
            found.setdefault(place, []).append(other)
    return found


def _same_place(chunks: Sequence[StoredChunk]) -> NDArray[np.bool_] | None:
    """Return which pairs stand under one heading of one document, shape ``(n, n)``, or None."""
    known: dict[tuple[str, tuple[str, ...]], int] = {}
    codes = [known.setdefault((one.doc_id, one.heading_path), len(known)) for one in chunks]
    if len(known) == len(codes):
        return None
    numbers = np.array(codes)
    return np.asarray(numbers[:, None] == numbers[None, :])


def _headings(chunk: StoredChunk) -> str:
    return heading_text(chunk.title, chunk.heading_path)
