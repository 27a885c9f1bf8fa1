"""Values longer than a Milvus VARCHAR, cut so that nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def slices_of_text(text: str, max_bytes: int) -> tuple[str, ...]:
    """Return the text in pieces of at most ``max_bytes`` UTF-8 bytes; joined, they give it back.

    There is always at least one piece, empty for an empty text.
    """
    if len(text) * 4 <= max_bytes or len(text.encode()) <= max_bytes:
        return (text,)
    data = text.encode()
    pieces = []
    start = 0
    while start < len(data):
        end = min(start + max_bytes, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:  # inside a character
            end -= 1
        pieces.append(data[start:end].decode())
        start = end
    return tuple(pieces)


def slices_of_words(words: Sequence[str], max_bytes: int) -> Iterator[str]:
    """Yield the words joined by spaces, in pieces of at most ``max_bytes`` bytes, none split.

    There is always at least one piece, empty where there are no words.
    """
    piece: list[str] = []
    size = 0
    for word in words:
        length = len(word.encode()) + 1
        if piece and size + length > max_bytes:
            yield " ".join(piece)
            piece, size = [], 0
        piece.append(word)
        size += length
    yield " ".join(piece)
