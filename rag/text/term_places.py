"""Where the terms of a query stand in a text, found without analysing all of it.

A snippet is made for every hit of every look-up, so this looks for the beginning of each term as
plain text and analyses only the words found there. It finds what the analyser would, except words
whose inflection changes their beginning (dying for die).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rag.text.analyzer import Analyzer
from rag.text.normalise import fold_with_offsets
from rag.text.words import UNSPACED

SCANNED_CHARS = 50_000  # of a longer text only the beginning is looked at
_MOST_PLACES = 200  # of one term; more say nothing about where to look
_CACHED_PLANS = 256

_RUN = re.compile(rf"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u2bff\u3000-\u3004{UNSPACED}]+")
_ASCII_RUN = re.compile("[0-9a-z]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_ONLY_UNSPACED = re.compile(f"[{UNSPACED}]+")
# Characters that the folding changes into other letters; texts without any are searched as they
# are. Punctuation, symbols, emoji, Kana, Han and Hangul syllables are not among them.
_FOLDED = re.compile(
    "[\u00aa\u00b2\u00b3\u00b5\u00b9\u00ba\u00bc-\u00be\u00c0-\u1fff\u2070-\u218f\u2c00-\u2fff"
    "\u302a-\u302f\u3099-\u309f\u30ff\u3130-\u33ff\ua640-\uabff\uf900-\ufdff\ufe20-\ufeff"
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffef\U0001d400-\U0001d7ff]"
)


@lru_cache(maxsize=_CACHED_PLANS)
def _plan(terms: tuple[str, ...]) -> tuple[tuple[int, str, str, bool], ...]:
    """Return (index, term, what to look for, whether that is the beginning of a word)."""
    plan = []
    for index, term in enumerate(terms):
        if len(term) == 1 and term.isascii() and len(terms) > 1:
            continue  # a letter or digit stands everywhere; other terms tell more
        plain = term.isalnum() and not _ONLY_UNSPACED.fullmatch(term)
        # Stems differ from their words in the last letter: happi, hope for happy, hoping.
        needle = term[:-1] if plain and len(term) > 2 and term.isalpha() else term
        plan.append((index, term, needle, plain))
    return tuple(plan)


def find_places(text: str, terms: Sequence[str], analyzer: Analyzer) -> list[tuple[int, int, int]]:
    """Return (start, end, index of the term) for the places of ``terms`` in ``text``, in order."""
    if len(text) > SCANNED_CHARS:
        text = text[:SCANNED_CHARS]
    folded = None
    source = text
    if not text.isascii() and _FOLDED.search(text):
        folded = fold_with_offsets(text)
        source = folded.text
    lower = source.lower()
    if len(lower) != len(source):  # a capital whose small letter is two
        lower = "".join([char.lower()[0] for char in source])
    places: list[tuple[int, int, int]] = []
    find, append, term_of = lower.find, places.append, analyzer.term_of
    run_at = (_ASCII_RUN if lower.isascii() else _RUN).match
    for index, term, needle, plain in _plan(tuple(terms)):
        at = find(needle)
        left = _MOST_PLACES
        while at >= 0 and left:
            end = 0
            if not plain:
                end = _literal_end(lower, at, term)
            elif not at or not lower[at - 1].isalnum():
                run = run_at(lower, at)
                if run is not None:
                    word = run.group()
                    if word == term or term_of(word) == term:
                        end = run.end()
            end = end or (_hump_end(source, lower, at, term, analyzer) if plain else 0)
            if end:
                append((at, end, index))
                left -= 1
            at = find(needle, at + 1)
    places.sort()
    if folded is not None:
        return [(*folded.span(start, end), index) for start, end, index in places]
    return places


def _in_word(char: str) -> bool:
    return _RUN.match(char) is not None


def _hump_end(source: str, lower: str, at: int, term: str, analyzer: Analyzer) -> int:
    """Return where the part of a camelCase word at ``at`` ends if its term is ``term``, else 0.

    A Latin word right after Han, Kana or Hangul begins as one after a space does.
    """
    before = lower[at - 1] if at else " "
    inside = before.isalnum() and _in_word(before)
    if inside and not source[at].isupper():
        return 0
    part = _RUN.match(lower, at) if before.isalnum() and not inside else _HUMP.match(source, at)
    if part is None:
        return 0
    word = lower[at : part.end()]
    return part.end() if word == term or analyzer.term_of(word) == term else 0


def _literal_end(lower: str, at: int, term: str) -> int:
    """Return where a bigram or an identifier at ``at`` ends, 0 inside of a longer word."""
    end = at + len(term)
    if _ONLY_UNSPACED.match(term):
        return end
    if at and _in_word(lower[at - 1]) and _in_word(term[0]):
        return 0
    if end < len(lower) and _in_word(lower[end]) and _in_word(term[-1]):
        return 0
    return end
