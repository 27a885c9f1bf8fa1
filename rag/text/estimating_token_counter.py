"""A token count without a vocabulary: meant not to be too low, and not much too high."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from operator import add

from rag.text.normalise import clean_text
from rag.text.token_costs import (
    BASE,
    CAPITALISED,
    CHANGE,
    CHAR_RUNS,
    CONTROL,
    DIGITS,
    FEW_CHANGES,
    FURTHER_CHANGE,
    FURTHER_SPACE_CHANGE,
    LEAD_BARE,
    LEAD_MARK,
    LEAD_SPACE,
    MORE_BREAKS,
    MORE_MARKS,
    MORE_SPACES,
    PAIRS,
    RUN,
    SPACE_BEFORE_CHAR,
    SPACE_BEFORE_DIGITS,
    SPREAD,
    char_cost,
)

# Pieces as byte-pair encoders cut a text before they merge: a word with the one character before
# it, three digits, marks with line breaks after them, white space. Characters of scripts without
# spaces stand alone, because few of them merge. Every piece can only grow or be followed when text
# is added, and no growth lowers its cost, so a longer text never counts less.
PIECES = re.compile(
    r"'(?:[sdmt]|ll|ve|re)"
    rf"|(?:[^\r\n\w]|_)?[^\W\d_{CHAR_RUNS}]+"
    rf"| ?[{CHAR_RUNS}]"
    r"| ?\d{1,3}"
    r"| ?(?:[^\s\w]|_)+[\r\n]*"
    r"|[^\S\r\n]*[\r\n]+|[^\S\r\n]+(?!\S)|\s"
)
_ASCII_PIECES = re.compile(  # the same pieces of ASCII text, in two thirds of the time
    r"'(?:[sdmt]|ll|ve|re)"
    r"|[^\r\n0-9A-Za-z]?[A-Za-z]+"
    r"| ?[0-9]{1,3}"
    r"| ?[^\s0-9A-Za-z]+[\r\n]*"
    r"|[^\S\r\n]*[\r\n]+|[^\S\r\n]+(?!\S)|\s"
)
_CACHED_PIECES = 100_000  # distinct words of some 20 MB; about 15 MB of memory
_FREE_BREAKS = 2  # line breaks that marks take with them
_LONGEST_CACHED = 24  # longer pieces are data and do not come back


def _letters_cost(word: str) -> int:
    """Return the cost of the letters of a word beyond its beginning."""
    if word.isascii():
        cost = sum([PAIRS[pair] for pair in map(add, word, word[1:])])
    else:
        cost = sum([char_cost(char) for char in word if not char.isascii()])
        cost += sum([PAIRS.get(pair, 0) for pair in map(add, word, word[1:])])
    if word[0].isupper() and word[1:2].islower():
        cost += CAPITALISED
    return cost


def _changes(run: str) -> int:
    return sum([before != after for before, after in pairwise(run)])


def _marks_cost(run: str) -> int:
    """Return the cost of a run of ASCII marks: repetitions are cheap, many changes are not."""
    changes = _changes(run)
    few = min(changes, FEW_CHANGES)
    repeats = len(run) - 1 - changes
    return RUN + MORE_MARKS * repeats + CHANGE * few + FURTHER_CHANGE * (changes - few)


def _space_cost(space: str) -> int:
    """Return the cost of a run of white space."""
    plain = "".join([char for char in space if char in " \t\r\n"])
    cost = sum([char_cost(char) for char in space if not char.isascii()])
    cost += CONTROL * sum([char.isascii() and char not in " \t\r\n" for char in space])
    if plain:
        if "\r" in plain:
            # Where the kinds of line ends mix, each that is not CR LF is a token of its own.
            pairs = plain.count("\r\n")
            cost += CONTROL * (plain[:-1].count("\r") + plain.count("\n") - 2 * pairs)
        plain = plain.replace("\r", "\n")
        changes = _changes(plain)
        more = MORE_BREAKS if plain.strip(" ") else MORE_SPACES
        cost += RUN + more * (len(plain) - 1 - changes)
        cost += min(changes, 1) * CHANGE + max(0, changes - 1) * FURTHER_SPACE_CHANGE
    return cost


def _piece_cost(piece: str) -> int:
    """Return the cost of one piece, in thousandths of a token."""
    first, last = piece[0], piece[-1]
    if last.isspace() and piece.isspace():
        return _space_cost(piece)
    if last.isdecimal():
        digits = piece.removeprefix(" ")
        before = SPACE_BEFORE_DIGITS if first == " " else 0
        return before + (DIGITS if digits.isascii() else sum(map(char_cost, digits)))
    if last.isalnum():
        if first.isalnum():
            return (LEAD_BARE if first.isascii() else 0) + _letters_cost(piece)
        if first == " ":
            lead = LEAD_SPACE if piece[1].isascii() else SPACE_BEFORE_CHAR
        else:
            lead = LEAD_MARK if first.isascii() else LEAD_BARE + char_cost(first)
        return lead + _letters_cost(piece[1:])
    marks = piece.removeprefix(" ").rstrip("\r\n")
    cost = sum([CONTROL if char < " " or char == "\x7f" else 0 for char in marks])
    cost += sum([char_cost(char) for char in marks if not char.isascii()])
    plain = "".join([char for char in marks if " " < char < "\x7f"])
    if plain:
        cost += _marks_cost(plain)
    elif first == " ":
        cost += SPACE_BEFORE_CHAR
    breaks = piece[len(piece.rstrip("\r\n")) :]
    return cost + (_space_cost(breaks[_FREE_BREAKS:]) if len(breaks) > _FREE_BREAKS else 0)


class _CostCache(dict[str, int]):
    """Costs by piece, filled as pieces are met and emptied when full."""

    def __missing__(self, piece: str) -> int:
        cost = _piece_cost(piece)
        if len(piece) <= _LONGEST_CACHED:
            if len(self) >= _CACHED_PIECES:
                self.clear()
            self[piece] = cost
        return cost


_COSTS = _CostCache()
_COST_OF = _COSTS.__getitem__


def _tokens(cost: float) -> int:
    """Return whole tokens for a cost: the expected count, and a margin for what may differ.

    Pieces err independently, so the margin grows with the square root and is relatively largest
    for short texts.
    """
    tokens = cost / 1_000
    return math.ceil(tokens + SPREAD * math.sqrt(tokens) + BASE)


class EstimatingTokenCounter:
    """Estimates conservatively by script and character class; needs no file and no network.

    Made not to be below what OpenAI's o200k and cl100k encodings count, whichever is larger, for
    English, Chinese, Korean, Japanese, source code, random strings and emoji; texts in further
    languages are counted less exactly, see ``docs/text.md``. ``count(a) <= count(a + b)`` holds
    for all texts, and ``count(a + b) <= count(a) + count(b) + 1`` in practice.
    """

    name = "estimate"

    def count(self, text: str, /) -> int:
        """Return the estimate, 0 for the empty text only."""
        text = clean_text(text)
        pieces = (_ASCII_PIECES if text.isascii() else PIECES).findall(text)
        if not pieces:
            return 0
        cost = sum(map(_COST_OF, pieces))
        last = pieces[-1]
        if last[-1] == " " and last.isspace():
            # A word to come will take this space with it.
            before = _COST_OF(last[:-1]) if len(last) > 1 else 0
            cost += min(0, before + LEAD_SPACE - _COST_OF(last))
        return _tokens(cost)

    def prefix(self, text: str, max_tokens: int, /) -> int:
        """Return the length of a prefix of at most ``max_tokens``, within two of the longest."""
        if max_tokens < 1:
            return 0
        text = clean_text(text)
        cost = 0
        start = end = 0
        for match in PIECES.finditer(text):
            piece_cost = _COST_OF(match.group())
            if _tokens(cost + piece_cost) > max_tokens:
                start, end = match.span()
                break
            cost += piece_cost
        else:
            return len(text)
        fits, beyond = start, end
        while beyond - fits > 1:
            middle = (fits + beyond) // 2
            if _tokens(cost + sum(map(_COST_OF, PIECES.findall(text[start:middle])))) > max_tokens:
                beyond = middle
            else:
                fits = middle
        if text[fits] == " " and self.count(text[: fits + 1]) <= max_tokens:
            fits += 1  # at the very end a space costs less
        return fits
