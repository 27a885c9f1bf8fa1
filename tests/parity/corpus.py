"""Some seven hundred real documents and two hundred questions, on every machine the same.

The documents are docstrings of the standard library, which every Python has, and short texts in
Chinese and Korean. The questions are parts of the documents, and some that a reader would ask.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.parity.other_scripts import ASKED, CHINESE, KOREAN

MODULES = (
    "argparse", "bisect", "collections", "configparser", "contextlib", "copy", "csv", "datetime",
    "difflib", "email.message", "enum", "fractions", "functools", "heapq", "http.client", "inspect",
    "itertools", "json", "logging", "pathlib", "queue", "random", "re", "shutil", "sqlite3",
    "statistics", "string", "subprocess", "tempfile", "textwrap", "threading", "urllib.parse",
    "urllib.request", "zipfile",
)  # fmt: skip
SHORTEST = 60  # characters; a shorter docstring is a label, not a text
QUESTIONS = 200
WORDS_PER_QUESTION = 9


@cache
def texts() -> dict[str, str]:
    """Return each document's Markdown by its path, one per function, class or method."""
    found = {}
    for module in MODULES:
        for name, docstring in _docstrings(module):
            found[f"{module}/{name}.md"] = f"# {module}.{name}\n\n{docstring}\n"
    for language, parts in (("zh", CHINESE), ("ko", KOREAN)):
        for number, (title, text) in enumerate(parts):
            found[f"{language}/{number:02}.md"] = f"# {title}\n\n{text}\n"
    return found


def _docstrings(module: str) -> Iterator[tuple[str, str]]:
    for name, member in _public(importlib.import_module(module)):
        yield from _docstring(name, member)
        if inspect.isclass(member) and member.__module__ == module:
            for method, function in _public(member):
                yield from _docstring(f"{name}.{method}", function)


def _public(owner: object) -> list[tuple[str, object]]:
    return sorted(
        (name, member)
        for name, member in vars(owner).items()
        if not name.startswith("_") and (inspect.isroutine(member) or inspect.isclass(member))
    )


def _docstring(name: str, member: object) -> Iterator[tuple[str, str]]:
    docstring = inspect.cleandoc(getattr(member, "__doc__", None) or "")
    if len(docstring) >= SHORTEST:
        yield name, docstring


def write_files(folder: Path, *, every: int = 1) -> None:
    """Write each ``every``-th document to its path under ``folder``."""
    for uri, text in list(texts().items())[::every]:
        path = folder / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@cache
def questions() -> tuple[str, ...]:
    """Return the questions: other scripts' first, then parts of docstrings of every module."""
    english = [text for uri, text in texts().items() if uri[:3] not in ("zh/", "ko/")]
    wanted = QUESTIONS - len(ASKED)
    picked = [english[n * len(english) // wanted] for n in range(wanted)]
    return (*ASKED, *(_question(n, text) for n, text in enumerate(picked)))


def _question(number: int, document: str) -> str:
    """Return a docstring's beginning, its middle, or its longest words, in turn."""
    words = document.partition("\n")[2].split()
    match number % 3:
        case 0:
            chosen = words[:WORDS_PER_QUESTION]
        case 1:
            chosen = words[len(words) // 2 :][:WORDS_PER_QUESTION]
        case _:
            chosen = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))[:3]
    return " ".join(chosen)
