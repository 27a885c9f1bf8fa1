"""Leaves out what would waste an agent's budget, and moves nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rag.evidence.citation import cite
from rag.evidence.drop_record import drop
from rag.evidence.near_duplicates import NearDuplicates
from rag.evidence.records import (
    Citation,
    Drop,
    DropReason,
    Evidence,
    ProcessedEvidence,
    RatedChunk,
)
from rag.evidence.word_signatures import WordSignatures
from rag.settings import EvidenceSettings

_Repetition = tuple[DropReason | None, str | None]


class EvidencePostProcessor:
    """Drops chunks below the floor, duplicates, near duplicates, and those over a document's cap.

    It is given ranks and qualities and never learns how they came about, so equal ones give equal
    evidence in every mode. The order is that of the input; nothing is boosted or re-sorted. Every
    chunk is either evidence or a drop with its reason. Safe to use from several threads.
    """

    def __init__(self, settings: EvidenceSettings) -> None:
        self._settings = settings
        self._signatures = WordSignatures()

    def process(
        self, rated: Sequence[RatedChunk], *, min_quality: float | None = None
    ) -> ProcessedEvidence:
        """Return the evidence among chunks given best first, and every drop, both in that order.

        ``min_quality`` is the floor of this call, None for the setting's. A floor of 0.0 is a real
        one; without any, None alone, nothing is below it.

        What repeats what is decided before the floor looks at anything, so a higher floor only
        ever removes evidence. A chunk below the floor is reported as that, whatever else it is.
        """
        floor = self._settings.min_quality if min_quality is None else min_quality
        also_in: dict[str, list[Citation]] = {}
        kept: list[RatedChunk] = []
        dropped: list[Drop] = []
        for piece, (reason, of) in zip(rated, self._repetitions(rated), strict=True):
            if reason is DropReason.DUPLICATE_OF and of is not None:
                also_in.setdefault(of, []).append(cite(piece.chunk))
            if floor is not None and piece.quality < floor:
                dropped.append(drop(piece, DropReason.BELOW_QUALITY))
            elif reason is not None:
                dropped.append(drop(piece, reason, of))
            else:
                kept.append(piece)
        return ProcessedEvidence(
            evidence=tuple(
                Evidence(rated=piece, also_in=tuple(also_in.get(piece.chunk.chunk_id, ())))
                for piece in kept
            ),
            dropped=tuple(dropped),
            floor=floor,
        )

    def _repetitions(self, rated: Sequence[RatedChunk]) -> list[_Repetition]:
        """Return for each chunk why it adds nothing, and the id of the chunk that it repeats."""
        if not rated:
            return []
        chunks = [piece.chunk for piece in rated]
        texts = [chunk.text.strip() for chunk in chunks]
        near = NearDuplicates(
            chunks,
            texts,
            self._signatures,
            threshold=self._settings.near_duplicate,
            window_overlap=self._settings.window_overlap,
        )
        cap = self._settings.per_document or len(rated)
        of_document: Counter[str] = Counter()
        by_text: dict[str, _Repetition] = {}
        found: list[_Repetition] = []
        for place, (chunk, text) in enumerate(zip(chunks, texts, strict=True)):
            repetition = by_text.get(text)
            if repetition is None:
                original = near.original_of(place)
                if original is not None:
                    repetition = (DropReason.NEAR_DUPLICATE_OF, chunks[original].chunk_id)
                    by_text[text] = repetition
                elif of_document[chunk.doc_id] >= cap:
                    # Not remembered: another document may still show the same text.
                    repetition = (DropReason.PER_DOCUMENT_CAP, None)
                else:
                    of_document[chunk.doc_id] += 1
                    near.keep(place)
                    by_text[text] = (DropReason.DUPLICATE_OF, chunk.chunk_id)
                    repetition = (None, None)
            found.append(repetition)
        return found
