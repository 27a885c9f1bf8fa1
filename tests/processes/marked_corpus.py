"""Documents of several chunks that say in every chunk which document and version they are of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

SECTIONS = 4
FILLER = "The keeper wrote the hour, the wind and the sea into the book before the lamp was lit. "
FILLERS = 14  # so that a section is about as long as a chunk is meant to be
SAYS = re.compile(r"beacon(\d+) version(\d+)")


def marker(number: int) -> str:
    """Return the word that stands in every chunk of a document and in no other's."""
    return f"beacon{number}"


def text(number: int, version: int) -> str:
    """Return a document whose every sentence names it; the last section ends with ``finis``."""
    said = f"Here is {marker(number)} version{version} again. "
    sections = [
        f"## {marker(number)} version{version} part {part}\n\n" + (said + FILLER) * FILLERS
        for part in range(SECTIONS)
    ]
    return f"# Light {number}\n\n" + "\n\n".join(sections) + " finis\n"


def write(folder: Path, numbers: range, version: int) -> None:
    """Write these documents as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (folder / name(number)).write_text(text(number, version), "utf-8")


def name(number: int) -> str:
    """Return a document's file name."""
    return f"light{number:04}.md"


def said_by(chunk_text: str) -> set[tuple[str, str]]:
    """Return every (document, version) that a text says it is of."""
    return set(SAYS.findall(chunk_text))


def is_whole(ordinals: Sequence[int], last_text: str) -> bool:
    """Whether these chunks are a document from its first to its last."""
    return sorted(ordinals) == list(range(len(ordinals))) and last_text.rstrip().endswith("finis")
