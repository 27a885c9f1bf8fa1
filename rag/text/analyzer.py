"""The one analyser that every store shares: text to terms, at index time and at query time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from operator import add

import Stemmer

from rag.errors import ConfigError
from rag.text.normalise import fold, fold_with_offsets
from rag.text.stop_words import ENGLISH_STOP_WORDS
from rag.text.tokens import Token
from rag.text.words import ASCII_WORDS, LONGEST_TERM, MARKS, WORDS, split_word

ANALYZER_VERSION = 2  # raise it whenever the same text would give other terms
NO_STEMMER = "none"
_CACHED_WORDS = 200_000  # distinct words of some 100 MB of English; about 60 MB of memory

_LONGEST_CACHED = 64  # longer words are addresses and data, and seldom come back

_Pieces = tuple[tuple[str, int, int], ...]


class _WordCache(dict[str, _Pieces]):
    """Analysed words by surface; emptied when full, so that it stays bounded."""

    def __init__(self, analyse: Callable[[str], _Pieces]) -> None:
        super().__init__()
        self._analyse = analyse

    def __missing__(self, word: str) -> _Pieces:
        pieces = self._analyse(word)
        if len(word) <= _LONGEST_CACHED:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = pieces
        return pieces


class _TermCache(dict[str, tuple[str, ...]]):
    """The terms alone of analysed words, for the fast path."""

    def __init__(self, pieces: _WordCache) -> None:
        super().__init__()
        self._pieces = pieces

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms = tuple(term for term, _, _ in self._pieces[word])
        if len(word) <= _LONGEST_CACHED:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = terms
        return terms


class Analyzer:
    """Turns text into terms: NFKC, diacritics and case folded, words stemmed, CJK as bigrams.

    Words of scripts with spaces are stemmed by Snowball; runs of Han, Kana, Hangul, Thai, Lao,
    Khmer and Myanmar become overlapping bigrams, a single character stays itself; Markdown's
    emphasis marks between such characters are read over, as readers do. Identifiers are
    kept whole and also split. Punctuation alone is never a term. A term holds no white space.
    Safe to call from several threads.

    Args:
        stemmer: A Snowball language such as ``english``, or ``none``.

    Raises:
        ConfigError: ``stemmer`` is not known.
    """

    def __init__(self, stemmer: str = "english") -> None:
        if stemmer != NO_STEMMER and stemmer not in Stemmer.algorithms():
            raise ConfigError(
                f"unknown stemmer {stemmer!r}",
                given=stemmer,
                allowed=", ".join([NO_STEMMER, *sorted(Stemmer.algorithms())]),
                hint="set text.stemmer to the language of your documents, or to none",
            )
        self.stemmer = stemmer
        self.version = f"rag-analyzer/{ANALYZER_VERSION}+{stemmer}"
        """Equal versions give equal terms; an index remembers the one it was built with."""
        # The stemmer's own cache is off (0): whole words are cached here, with their parts.
        self._stem: Callable[[str], str] | None = (
            None if stemmer == NO_STEMMER else Stemmer.Stemmer(stemmer, 0).stemWord
        )
        self._stop_words = (
            ENGLISH_STOP_WORDS if stemmer in (NO_STEMMER, "english", "porter") else frozenset()
        )
        self._pieces = _WordCache(self._analyse)
        self._terms = _TermCache(self._pieces)

    def _analyse(self, word: str) -> _Pieces:
        """Return (term, start, end) for each piece of a folded, case-kept word."""
        pieces = []
        for start, end, plain in split_word(word):
            term = word[start:end].casefold()
            if plain and self._stem is not None and term.isalpha():
                term = self._stem(term)
            pieces.append((term[:LONGEST_TERM], start, end))
        return tuple(pieces)

    def term_of(self, word: str) -> str:
        """Return the term of one plain lower-case word, such as ``declar`` for ``declaring``."""
        return self._terms[word][0]

    def terms(self, text: str) -> list[str]:
        """Return the terms of ``text`` in order, with repetitions; ``tokens`` without the spans."""
        terms: list[str] = []
        extend, cached = terms.extend, self._terms
        if text.isascii():
            for word in ASCII_WORDS.findall(text):
                extend(cached[word])
            return terms
        for word, run in WORDS.findall(fold(text)):
            if word:
                extend(cached[word])
            elif len(run) == 1:
                terms.append(run)
            else:
                bare = MARKS.sub("", run)
                extend(map(add, bare, bare[1:]))
        return terms

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of ``text`` in order of their words, a whole word before its parts."""
        tokens: list[Token] = []
        append, cached = tokens.append, self._pieces
        if text.isascii():
            for match in ASCII_WORDS.finditer(text):
                at = match.start()
                for term, start, end in cached[match.group()]:
                    append(Token(term, at + start, at + end))
            return tokens
        folded = fold_with_offsets(text)
        for match in WORDS.finditer(folded.text):
            word, run = match.groups()
            at = match.start()
            if word:
                for term, start, end in cached[word]:
                    append(Token(term, at + start, at + end))
            elif len(run) == 1:
                append(Token(run, at, at + 1))
            else:
                places = [at + i for i, char in enumerate(run) if not MARKS.match(char)]
                bare = MARKS.sub("", run)
                for term, (first, second) in zip(
                    map(add, bare, bare[1:]), pairwise(places), strict=True
                ):
                    append(Token(term, first, second + 1))
        if folded.starts is None:
            return tokens
        return [Token(term, *folded.span(start, end)) for term, start, end in tokens]

    def query_words(self, text: str) -> list[tuple[str, tuple[str, ...]]]:
        """Return each word of a query, verbatim, with its terms; stop words and repeats left out.

        A run of a script without spaces is one word. Stop words stay where there is nothing else.
        """
        folded = fold_with_offsets(text)
        words: dict[str, tuple[str, tuple[str, ...]]] = {}
        stops: dict[str, tuple[str, tuple[str, ...]]] = {}
        for match in WORDS.finditer(folded.text):
            start, end = folded.span(match.start(), match.end())
            key = match.group().casefold()
            terms = tuple(dict.fromkeys(self.terms(match.group())))
            kept = stops if key.removesuffix("'s") in self._stop_words else words
            kept.setdefault(key, (text[start:end], terms))
        return list((words or stops).values())

    def query_terms(self, text: str) -> list[str]:
        """Return the distinct terms of a query in order, stop words dropped unless all are."""
        return list(dict.fromkeys(term for _, terms in self.query_words(text) for term in terms))
