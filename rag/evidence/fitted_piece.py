"""Cuts one piece of evidence so that it fits a number of tokens."""

from __future__ import annotations

from typing import NamedTuple

from rag.evidence.context_block import ContextBlock
from rag.evidence.text_cut import cut_at_boundary
from rag.ranking.records import StoredChunk
from rag.text import TokenCounter

# A cut that uses less of its room, such as a heading alone, says too little to be worth a citation.
LEAST_USE = 1 / 4


class FittedPiece(NamedTuple):
    """A piece that was cut: its verbatim text, and the tokens of its rendered form."""

    text: str
    tokens: int


def fit_piece(
    block: ContextBlock, counter: TokenCounter, number: int, chunk: StoredChunk, room: int
) -> FittedPiece | None:
    """Return a beginning of the chunk whose rendered piece takes at most ``room`` tokens.

    It ends with a line or a sentence; header, fence and truncation mark are counted. None where
    no such beginning uses a fair part of the room.
    """
    limit = room - counter.count(block.piece(number, chunk, "", truncated=True))
    while limit > 0:
        most = counter.prefix(chunk.text, limit)
        text = cut_at_boundary(chunk.text, most)
        if not text.strip() or len(text) < LEAST_USE * most:
            return None
        tokens = counter.count(block.piece(number, chunk, text, truncated=True))
        if tokens <= room:
            return FittedPiece(text, tokens)
        limit -= tokens - room  # the joints took more than the parts said
    return None
