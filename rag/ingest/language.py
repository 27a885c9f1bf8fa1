"""Guesses the language of a text from its letters and, for English, its function words."""

from __future__ import annotations

import re
from collections import Counter

UNDETERMINED = "und"
SAMPLE_CHARS = 20_000  # a page or ten decide; the rest only takes time
MIN_SHARE = 0.25  # of the weighted letters: documents in any script quote code and names in Latin
KANA_SHARE = 0.1  # of Kana and Han together; Japanese prose has about half, Chinese none
ENGLISH_SHARE = 0.08  # of the words; English prose has about a third, other languages few
ENGLISH_KINDS = 3  # one word repeated is no language

# A character of these scripts says as much as two or three letters of an alphabet.
_WEIGHTS = {"han": 2.5, "kana": 2.0, "hangul": 2.5}
_SCRIPTS = {
    "han": r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f",
    "kana": r"\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "hangul": r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3",
    "latin": r"A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff",
    "ru": r"\u0400-\u052f",
    "el": r"\u0370-\u03ff\u1f00-\u1fff",
    "he": r"\u0590-\u05ff",
    "ar": r"\u0600-\u06ff\u0750-\u077f",
    "hi": r"\u0900-\u097f",
    "bn": r"\u0980-\u09ff",
    "ta": r"\u0b80-\u0bff",
    "te": r"\u0c00-\u0c7f",
    "th": r"\u0e00-\u0e7f",
    "ka": r"\u10a0-\u10ff",
    "hy": r"\u0530-\u058f",
}
_LETTERS = {name: re.compile(f"[{ranges}]") for name, ranges in _SCRIPTS.items()}
_UKRAINIAN = re.compile(r"[іїєґІЇЄҐ]")
_PERSIAN = re.compile(r"[پچژگی]")
_ADDRESS = re.compile(r"https?://\S+")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
# only words that are not also common ones of German, French, Spanish, Dutch or Italian
_ENGLISH = frozenset(
    (
        "the", "and", "of", "to", "is", "that", "with", "for", "are", "this", "you", "it", "be",
        "by", "from", "or", "which", "when", "can", "your", "not", "have", "will", "they", "their",
    )
)  # fmt: skip


def detect_language(text: str) -> str:
    """Return a two-letter language code, or ``und`` where the text does not tell.

    Scripts that one language owns name it; Han with Kana is ``ja``, without is ``zh``; Cyrillic is
    ``ru`` unless it has letters of Ukrainian, Arabic ``ar`` unless it has letters of Persian.
    Latin script is ``en`` when English function words are frequent, else ``und``: telling
    the other languages apart by script alone would be guessing.
    """
    sample = text[:SAMPLE_CHARS]
    weights = Counter[str]()
    for name, letters in _LETTERS.items():
        if found := len(letters.findall(sample)):
            weights[name] = int(found * _WEIGHTS.get(name, 1.0) * 10)
    total = sum(weights.values())
    if not total:
        return UNDETERMINED
    east_asian = weights["han"] + weights["kana"]
    kana = weights["kana"]
    weights["zh"] = east_asian if kana < KANA_SHARE * east_asian else 0
    weights["ja"] = east_asian - weights["zh"]
    weights["ko"] = weights["hangul"]
    candidates = {
        name: weight
        for name, weight in weights.items()
        if name not in {"han", "kana", "hangul", "latin"}
    }
    best = max(candidates, key=lambda name: (candidates[name], name))
    if candidates[best] < MIN_SHARE * total:
        return "en" if _is_english(sample) else UNDETERMINED
    if best == "ru" and _UKRAINIAN.search(sample):
        return "uk"
    if best == "ar" and _PERSIAN.search(sample):
        return "fa"
    return best


def _is_english(sample: str) -> bool:
    words = [word.lower() for word in _WORD.findall(_ADDRESS.sub(" ", sample))]
    counts = Counter(word for word in words if word in _ENGLISH)
    return len(counts) >= ENGLISH_KINDS and counts.total() >= ENGLISH_SHARE * len(words)
