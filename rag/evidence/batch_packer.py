"""Packs the evidence of several questions into one budget, so that none of them goes short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.evidence.context_block import ContextBlock
from rag.evidence.drop_record import drop
from rag.evidence.fitted_piece import fit_piece
from rag.evidence.packed_records import PackedBatch, PackedItem, PackedPart
from rag.evidence.records import DropReason, Evidence
from rag.evidence.text_cut import without_blank_end
from rag.text import TokenCounter

_WIDEST = 9_999  # the number that pieces are counted with, before they have their own


@dataclass(slots=True, eq=False)
class _Piece:
    """A text in the block."""

    evidence: Evidence
    text: str
    truncated: bool
    tokens: int
    number: int = 0


@dataclass(slots=True, eq=False)
class _Question:
    """What became of one question's evidence: waiting, packed, found elsewhere, or left out."""

    waiting: list[Evidence]
    pieces: list[_Piece] = field(default_factory=list)
    repeats: list[tuple[Evidence, _Piece]] = field(default_factory=list)
    left_out: list[Evidence] = field(default_factory=list)

    @property
    def used(self) -> int:
        return sum(piece.tokens for piece in self.pieces)


def pack_batch(
    counter: TokenCounter, questions: Sequence[Sequence[Evidence]], budget: int
) -> PackedBatch:
    """Return what fits ``budget`` tokens, one part per question in their order.

    First every question gets its best piece. If these do not fit together, the room is shared by
    water-filling: a piece that needs less than an equal share leaves the rest to the others, and a
    longer one is cut, after a line or a sentence, to what remains. Then the question that has
    used least goes on, piece by piece, until nothing fits. A text that several questions found is
    packed once and referred to by its number. The bound is proved on the joined text: while it
    is too long, the piece packed last goes.
    """
    packing = _BatchPacking(counter, questions, budget)
    packing.pack_best_pieces()
    packing.pack_the_rest()
    return packing.result()


class _BatchPacking:
    def __init__(
        self, counter: TokenCounter, questions: Sequence[Sequence[Evidence]], budget: int
    ) -> None:
        self._counter = counter
        self._budget = budget
        self._questions = [_Question(list(evidence)) for evidence in questions]
        self._block = ContextBlock(e.rated.chunk.text for own in questions for e in own)
        self._packed: list[tuple[_Question, _Piece]] = []  # in the order of packing
        self._by_text: dict[str, _Piece] = {}
        self._room = budget - (counter.count(self._render()) if budget else 0)

    def pack_best_pieces(self) -> None:
        """Give every question its best piece, cut to a fair share where they do not all fit."""
        wanted: dict[str, tuple[_Question, Evidence, int]] = {}
        for question in self._questions if self._room > 0 else ():
            best = next((e for e in question.waiting if _key(e) not in wanted), None)
            if best is not None:
                wanted[_key(best)] = (question, best, self._tokens(best))
        level = _water_level([tokens for _, _, tokens in wanted.values()], self._room)
        for question, best, tokens in wanted.values():
            chunk = best.rated.chunk
            if tokens <= level:
                self._add(question, _whole(best, tokens))
            else:
                fitted = fit_piece(self._block, self._counter, _WIDEST, chunk, level)
                if fitted is not None:
                    self._add(question, _Piece(best, fitted.text, True, fitted.tokens))

    def pack_the_rest(self) -> None:
        """Let the question that has used least go on until nothing fits."""
        while active := [question for question in self._questions if question.waiting]:
            question = min(active, key=lambda one: one.used)
            evidence = question.waiting[0]
            known = self._by_text.get(_key(evidence))
            tokens = 0
            if known is not None:
                tokens = self._counter.count(f", [{_WIDEST}]")
            elif self._room > 0:
                tokens = self._tokens(evidence)
            if not 0 < tokens <= self._room:
                question.left_out.append(question.waiting.pop(0))
            elif known is None:
                self._add(question, _whole(evidence, tokens))
            else:
                question.repeats.append((question.waiting.pop(0), known))
                self._room -= tokens

    def result(self) -> PackedBatch:
        """Prove the bound, then report every piece under its number, and all that was left out."""
        context, tokens = self._joined()
        while tokens > self._budget:
            self._remove_last()
            context, tokens = self._joined()
        return PackedBatch(
            parts=tuple(map(_part, self._questions)),
            context=context,
            tokens=tokens,
            budget=self._budget,
            counter=self._counter.name,
        )

    def _tokens(self, evidence: Evidence) -> int:
        chunk = evidence.rated.chunk
        text = without_blank_end(chunk.text)
        return self._counter.count(self._block.piece(_WIDEST, chunk, text, truncated=False))

    def _add(self, question: _Question, piece: _Piece) -> None:
        question.waiting = [one for one in question.waiting if one is not piece.evidence]
        question.pieces.append(piece)
        self._packed.append((question, piece))
        self._by_text[_key(piece.evidence)] = piece
        self._room -= piece.tokens

    def _remove_last(self) -> None:
        owner, piece = self._packed.pop()
        owner.pieces.remove(piece)
        owner.left_out.append(piece.evidence)
        for question in self._questions:
            gone = [one for one in question.repeats if one[1] is piece]
            question.repeats = [one for one in question.repeats if one[1] is not piece]
            question.left_out.extend(evidence for evidence, _ in gone)

    def _joined(self) -> tuple[str, int]:
        context = self._render() if self._packed else ""
        return context, self._counter.count(context) if context else 0

    def _render(self) -> str:
        """Return the block as it stands, with the pieces numbered in the order of reading."""
        number = 0
        for question in self._questions:
            question.pieces.sort(key=lambda piece: piece.evidence.rated.rank)
            for piece in question.pieces:
                piece.number = number = number + 1
        parts: list[str] = []
        for place, question in enumerate(self._questions, start=1):
            numbers = ", ".join(f"[{piece.number}]" for _, piece in question.repeats)
            also = f", see also {numbers}" if numbers else ""
            none = "" if question.pieces or also else ": no evidence"
            parts.append(f"\nQuestion {place}{also}{none}\n")
            parts.extend(
                self._block.piece(
                    piece.number, piece.evidence.rated.chunk, piece.text, truncated=piece.truncated
                )
                for piece in question.pieces
            )
        return self._block.join(parts)


def _whole(evidence: Evidence, tokens: int) -> _Piece:
    return _Piece(evidence, without_blank_end(evidence.rated.chunk.text), False, tokens)


def _key(evidence: Evidence) -> str:
    return evidence.rated.chunk.text.strip()


def _water_level(needs: Sequence[int], room: int) -> int:
    """Return the level up to which every need is met, so that together they take at most room.

    Each gets ``min(need, level)``: all they need where that fits, and otherwise an equal share of
    what those with smaller needs leave.
    """
    left = max(0, room)
    for served, need in enumerate(sorted(needs)):
        share = left // (len(needs) - served)
        if need > share:
            return share
        left -= need
    return max(needs, default=0)


def _part(question: _Question) -> PackedPart:
    items = [
        PackedItem(
            number=piece.number,
            evidence=piece.evidence,
            text=piece.text,
            truncated=piece.truncated,
        )
        for piece in question.pieces
    ]
    dropped = [drop(evidence.rated, DropReason.OVER_BUDGET) for evidence in question.left_out]
    for evidence, piece in question.repeats:
        items.append(
            PackedItem(
                number=piece.number,
                evidence=evidence,
                text=piece.text,
                truncated=piece.truncated,
                repeated=True,
            )
        )
        dropped.append(
            drop(evidence.rated, DropReason.ALREADY_PACKED, piece.evidence.rated.chunk.chunk_id)
        )
    return PackedPart(
        items=tuple(sorted(items, key=lambda item: item.evidence.rated.rank)),
        tokens=question.used,
        dropped=tuple(sorted(dropped, key=lambda one: one.rank)),
    )
