"""Two rankings of one question side by side, and how each hit moved between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag.wire.search_response import ResultHit

ROW_HEIGHT, ROW_GAP = 58, 6  # as in the style sheet; on a phone it makes both half as large again
PITCH = ROW_HEIGHT + ROW_GAP
Move = Literal["up", "down", "same"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedHit:
    """A hit in one of the two lists, with its rank in the other one; None where it is not there."""

    hit: ResultHit
    other_rank: int | None

    @property
    def change(self) -> str:
        """How far it stands above (+) or below (−) its place in the other list, in words."""
        if self.other_rank is None:
            return "only here"
        moved = self.other_rank - self.hit.rank
        return "same" if moved == 0 else f"{'+' if moved > 0 else '−'}{abs(moved)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankLine:
    """A line from a hit's place on the left to its place on the right, from the top of both lists.

    Heights are in the units of ``ROW_HEIGHT``; the drawing is scaled to the rows beside it.
    """

    left: int
    right: int
    left_y: float
    right_y: float
    move: Move


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What two rankings share and where they differ."""

    left: tuple[RankedHit, ...]
    right: tuple[RankedHit, ...]
    lines: tuple[RankLine, ...]
    height: int

    @property
    def shared(self) -> int:
        """How many hits stand in both lists."""
        return len(self.lines)


def compare(left: Sequence[ResultHit], right: Sequence[ResultHit]) -> Comparison:
    """Return how the hits of two first pages of one question relate."""
    left_ranks = {hit.chunk_id: hit.rank for hit in left}
    right_ranks = {hit.chunk_id: hit.rank for hit in right}
    lines = tuple(
        RankLine(
            left=rank,
            right=right_ranks[chunk_id],
            left_y=_middle(rank),
            right_y=_middle(right_ranks[chunk_id]),
            move=_move(rank, right_ranks[chunk_id]),
        )
        for chunk_id, rank in left_ranks.items()
        if chunk_id in right_ranks
    )
    return Comparison(
        left=tuple(RankedHit(hit=h, other_rank=right_ranks.get(h.chunk_id)) for h in left),
        right=tuple(RankedHit(hit=h, other_rank=left_ranks.get(h.chunk_id)) for h in right),
        lines=lines,
        height=max(0, max(len(left), len(right)) * PITCH - ROW_GAP),
    )


def _middle(rank: int) -> float:
    return (rank - 1) * PITCH + ROW_HEIGHT / 2


def _move(left: int, right: int) -> Move:
    if left == right:
        return "same"
    return "up" if right < left else "down"
