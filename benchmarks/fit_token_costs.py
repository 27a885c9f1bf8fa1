"""Fit the letter-pair costs of the estimating token counter; prints the numbers for the code.

The cost of a word is fitted as a beginning, plus a cost for every pair of letters, plus costs for
capitals, by least squares with no cost below zero, to the larger of its counts in o200k and
cl100k. Collections weigh equally whatever their size; within one a word weighs its share of
occurrences to the power 0.7, so that rare words are heard beside ``the``.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.arguments import benchmark_parser
from benchmarks.token_passages import load_passages
from rag.text.bpe_token_counter import BpeTokenCounter
from rag.text.estimating_token_counter import PIECES

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORD = re.compile(r"[ -~]?[A-Za-z]+")
POWER = 0.7
# Texts that are not prose in English count less; a language beside the main three least.
WEIGHTS = {"base64": 0.3, "hexadecimal": 0.2, "docs-fastapi-zh": 0.3, "docs-fastapi-ko": 0.3}
FURTHER_WEIGHT = 0.03
# No word is cheaper than these; a word after a space is, as the space costs nothing of its own.
LEAST_LEADS = {"bare": 0.8, "space": 0.55, "mark": 1.0}
SHAPES = ("bare", "space", "mark", "capitalised", "enter_upper", "both_upper")
MARGIN = 1.14  # on every cost: see bench_token_counter.py for what it buys
UNIT = 0.04  # tokens per step of the printed table, digits in base 36


def features(word: str) -> Counter[int]:
    """Return the features of a piece: its beginning, its capitals, its letter pairs."""
    lead = 0 if word[0].isalpha() else 1 if word[0] == " " else 2
    letters = word if lead == 0 else word[1:]
    found = Counter({lead: 1})
    if letters[0].isupper() and letters[1:2].islower():
        found[3] += 1
    for before, char in pairwise(letters):
        if char.isupper():
            found[5 if before.isupper() else 4] += 1
    lower = letters.lower()
    for before, char in pairwise(lower):
        found[len(SHAPES) + LETTERS.index(before) * 26 + LETTERS.index(char)] += 1
    return found


def non_negative_least_squares(
    q: NDArray[np.float64], b: NDArray[np.float64], least: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Minimise ``x q x / 2 - b x`` subject to ``x >= least`` by cyclic coordinate descent."""
    x = np.maximum(least, 0.2)
    gradient = q @ x - b
    for _ in range(400):
        for i in range(len(x)):
            new = max(least[i], x[i] - gradient[i] / q[i, i])
            if new != x[i]:
                gradient += q[i] * (new - x[i])
                x[i] = new
    return x


def main() -> None:
    """Fit on the passages below the given folders and print what ``token_costs.py`` holds."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("further", type=Path, nargs="?", help="folder of other texts to fit on")
    given = parser.parse_args()
    passages = {k: v for k, v in load_passages(given.datasets).items() if "in chunks" not in k}
    weights = dict.fromkeys(passages, 1.0) | WEIGHTS
    for path in sorted(given.further.iterdir()) if given.further else ():
        passages[path.name] = [path.read_text(encoding="utf-8")]
        weights[path.name] = FURTHER_WEIGHT
    share: Counter[str] = Counter()
    for name, texts in passages.items():
        words = Counter(p for text in texts for p in PIECES.findall(text) if WORD.fullmatch(p))
        for word, count in words.items():
            share[word] += weights[name] * count / words.total()  # type: ignore[assignment]  # a Counter of shares
    exact = [BpeTokenCounter("o200k"), BpeTokenCounter("cl100k")]
    size = len(SHAPES) + 26 * 26
    q, b = 1e-6 * np.eye(size), np.zeros(size)
    total = sum(value**POWER for value in share.values())
    for word, value in share.items():
        weight = value**POWER / total
        found = features(word)
        index = np.fromiter(found, dtype=np.intp)
        counts = np.fromiter(found.values(), dtype=np.float64)
        q[np.ix_(index, index)] += weight * np.outer(counts, counts)
        b[index] += weight * counts * max(counter.count(word) for counter in exact)
    b[len(SHAPES) :] += 1e-6 * 0.4  # pairs that were never seen are as dear as a random pair
    least = np.array([LEAST_LEADS.get(shape, 0.0) for shape in SHAPES] + [0.0] * 26 * 26)
    x = non_negative_least_squares(q, b, least) * MARGIN
    for shape, value in zip(SHAPES, x, strict=False):
        print(f"{shape} {round(1_000 * value)}")
    for row, letter in enumerate(LETTERS):
        values = x[len(SHAPES) + 26 * row :][:26]
        print(letter, "".join(np.base_repr(min(35, round(v / UNIT)), 36) for v in values).lower())


if __name__ == "__main__":
    main()
