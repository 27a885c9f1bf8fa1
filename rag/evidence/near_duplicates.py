"""Which chunks of one answer say what a better ranked one has said already."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from rag.evidence.shared_run import shared_run
from rag.evidence.word_set import SignatureCache, is_name, word_set
from rag.ingest.index_text import heading_text
from rag.ranking.records import StoredChunk

# Fewer words stand in a long text by chance, and their meaning is in the heading above them.
LEAST_WORDS = 16
# A shorter run may be a phrase that list items share, unless the two stand on the same lines.
LEAST_RUN_CHARS = 80
# A window that repeats half of one already dropped belongs to the same run of windows.
FAMILY_OVERLAP = 0.5
_ROUNDING = 1e-9  # so that a share of exactly the threshold reaches it


@dataclass(slots=True, eq=False)
class _Kept:
    chunk: StoredChunk
    windows: list[StoredChunk] = field(default_factory=list)  # dropped, for overlapping this one


class NearDuplicates:
    """Remembers the chunks kept so far, and finds the one that a further chunk repeats.

    Two rules, neither of which knows a score:

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
        self, *, threshold: float, window_overlap: float, signatures: SignatureCache
    ) -> None:
        self._slack = 1.0 - threshold
        self._window = window_overlap
        self._signature = signatures.signature
        self._kept: list[_Kept] = []
        self._lacks: list[int] = []  # the complement of each kept signature
        self._of_document: defaultdict[str, list[int]] = defaultdict(list)

    def original_of(self, chunk: StoredChunk) -> StoredChunk | None:
        """Return the kept chunk that this one repeats, best ranked first, or None."""
        bits, words = self._signature(chunk.text)
        allowed = int(self._slack * words + _ROUNDING)
        if words >= LEAST_WORDS:
            suspects = [
                place
                for place, lacks in enumerate(self._lacks)
                if (bits & lacks).bit_count() <= allowed
            ]
            for place in suspects:
                if self._same_words(chunk, self._kept[place].chunk, allowed):
                    return self._kept[place].chunk
        for place in self._of_document.get(chunk.doc_id, ()):
            # A shared run shares its words, save the two that its edges cut.
            most = int((1.0 - self._window) * words + _ROUNDING) + 2
            may_overlap = (bits & self._lacks[place]).bit_count() <= most
            if self._is_window(chunk, self._kept[place], may_overlap=may_overlap):
                self._kept[place].windows.append(chunk)
                return self._kept[place].chunk
        return None

    def keep(self, chunk: StoredChunk) -> None:
        """Remember a chunk that was kept."""
        self._of_document[chunk.doc_id].append(len(self._kept))
        self._lacks.append(~self._signature(chunk.text).bits)
        self._kept.append(_Kept(chunk))

    @staticmethod
    def _same_words(chunk: StoredChunk, kept: StoredChunk, allowed: int) -> bool:
        there = word_set(kept.text)
        own = word_set(chunk.text) - there
        if len(own) > allowed or any(map(is_name, own)):
            return False
        return word_set(_headings(chunk)) <= there | word_set(_headings(kept))

    def _is_window(self, chunk: StoredChunk, kept: _Kept, *, may_overlap: bool) -> bool:
        if chunk.heading_path != kept.chunk.heading_path:
            return False
        if may_overlap and _share(chunk, kept.chunk) >= self._window:
            return True
        return any(_share(chunk, window) >= FAMILY_OVERLAP for window in kept.windows) and (
            _share(chunk, kept.chunk) > 0
        )


def _share(chunk: StoredChunk, other: StoredChunk) -> float:
    """Return the share of a chunk's text that the other repeats at an edge, 0.0 if by chance."""
    run = shared_run(chunk.text, other.text)
    here, there = chunk.span, other.span
    if run < LEAST_RUN_CHARS and (here.end < there.start or there.end < here.start):
        return 0.0
    return run / max(1, len(chunk.text.strip())) + _ROUNDING * (run > 0)


def _headings(chunk: StoredChunk) -> str:
    return heading_text(chunk.title, chunk.heading_path)
