"""Fills a token budget with evidence, and proves it on the text that was joined."""

from __future__ import annotations

from collections.abc import Sequence

from rag.errors import InvalidArgumentError
from rag.evidence.batch_packer import pack_batch
from rag.evidence.context_block import ContextBlock
from rag.evidence.drop_record import drop
from rag.evidence.fitted_piece import fit_piece
from rag.evidence.packed_records import PackedBatch, PackedEvidence, PackedItem
from rag.evidence.records import Drop, DropReason, Evidence
from rag.evidence.text_cut import without_blank_end
from rag.text import TokenCounter


class EvidencePacker:
    """Packs evidence in rank order into a context block that never exceeds its budget.

    A piece that does not fit is left out as ``over_budget``, and smaller ones after it are still
    tried. Only where nothing is packed yet, a piece too long is cut after a line or a sentence and
    flagged. Each piece is counted once; then the whole block is counted as it stands, and gives
    up its last pieces while tokens that merge or split at the joints make it too long.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter

    def pack(self, evidence: Sequence[Evidence], budget: int) -> PackedEvidence:
        """Return what fits ``budget`` tokens, with the headers, fences and notice counted.

        Raises:
            InvalidArgumentError: the budget is negative.
        """
        check_budget(budget)
        count = self.counter.count
        block = ContextBlock(piece.rated.chunk.text for piece in evidence)
        items: list[PackedItem] = []
        pieces: list[str] = []
        dropped: list[Drop] = []
        room = budget - (count(block.notice + "\n") if evidence and budget else 0)
        least = count(f"\n[1] \n<{block.tag}>\n</{block.tag}>\n") if room > 0 else 1
        for candidate in evidence:
            item = None
            if room >= least:  # not even an empty piece would fit otherwise
                number, chunk = len(items) + 1, candidate.rated.chunk
                text = without_blank_end(chunk.text)
                rendered = block.piece(number, chunk, text, truncated=False)
                tokens = count(rendered)
                if tokens <= room:
                    item = _item(number, candidate, text, truncated=False)
                elif not items:
                    fitted = fit_piece(block, self.counter, number, chunk, room)
                    if fitted is not None:
                        item = _item(number, candidate, fitted.text, truncated=True)
                        rendered = block.piece(number, chunk, fitted.text, truncated=True)
                        tokens = fitted.tokens
            if item is None:
                dropped.append(drop(candidate.rated, DropReason.OVER_BUDGET))
            else:
                items.append(item)
                pieces.append(rendered)
                room -= tokens
        context = block.join(pieces)
        tokens = count(context) if context else 0
        while tokens > budget:
            pieces.pop()
            dropped.append(drop(items.pop().evidence.rated, DropReason.OVER_BUDGET))
            context = block.join(pieces)
            tokens = count(context) if context else 0
        return PackedEvidence(
            items=tuple(items),
            context=context,
            tokens=tokens,
            budget=budget,
            counter=self.counter.name,
            dropped=tuple(sorted(dropped, key=lambda one: one.rank)),
        )

    def pack_batch(self, questions: Sequence[Sequence[Evidence]], budget: int) -> PackedBatch:
        """Return what fits a budget that several questions share; see :func:`pack_batch`.

        Raises:
            InvalidArgumentError: the budget is negative.
        """
        check_budget(budget)
        return pack_batch(self.counter, questions, budget)


def check_budget(budget: int) -> None:
    """Refuse a negative budget.

    Raises:
        InvalidArgumentError: the budget is negative.
    """
    if budget < 0:
        raise InvalidArgumentError(
            f"budget_tokens must be at least 0; got {budget}",
            given=budget,
            allowed="a whole number of tokens, at least 0",
        )


def _item(number: int, evidence: Evidence, text: str, *, truncated: bool) -> PackedItem:
    return PackedItem(number=number, evidence=evidence, text=text, truncated=truncated)
