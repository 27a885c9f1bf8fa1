"""Whether an embedder reads a text, judged by the writing systems of its letters."""

from __future__ import annotations

from rag.text import Script, script_shares

DENSE_SCRIPTS = frozenset({Script.HAN, Script.KANA, Script.HANGUL})
DENSE_WEIGHT = 2.5  # one such character says about as much as 2.5 letters of an alphabet
UNCOVERED_LIMIT = 0.25  # an English text that quotes a word stays below, a Chinese one far above


def covers(scripts: frozenset[Script] | None, text: str, /) -> bool:
    """Return whether a model that reads ``scripts`` (None: all) reads ``text``.

    True while the letters outside ``scripts`` make up at most a quarter of the text's letters,
    each Han, Kana or Hangul character counted as 2.5. A text without letters is covered.
    A vector of unread text is noise, and noise that is fused ruins a ranking.
    """
    if scripts is None or text.isascii():
        return scripts is None or Script.LATIN in scripts or not any(map(str.isalpha, text))
    weights = {
        script: share * (DENSE_WEIGHT if script in DENSE_SCRIPTS else 1.0)
        for script, share in script_shares(text).items()
    }
    unread = sum(weight for script, weight in weights.items() if script not in scripts)
    return unread <= UNCOVERED_LIMIT * sum(weights.values())
