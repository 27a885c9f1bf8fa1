"""A documentation page as a reader follows it: its blocks of code, top to bottom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(`{3,})(\w*)[^\n]*\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_NEW_FOLDER = re.compile(r"<!-- new folder -->\s*\Z")
_SKIP = re.compile(r"<!-- skip: (.{10,}?) -->\s*\Z")  # a reason has at least ten characters
_RUNNABLE = re.compile(r"(?:[A-Z_]+=\S* )*(?:rag|mkdir|printf|echo|cat|cp)\b")
ANYTHING = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block: its language, its text, and the line that its text starts on.

    ``output`` is the text of a ``text`` block that follows directly: what the code prints.
    ``in_new_folder`` says that the page leaves what earlier blocks made behind.
    """

    language: str
    text: str
    line: int
    skipped: bool
    in_new_folder: bool
    output: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One ``$`` line of a console block, and the output shown below it ("" where none is)."""

    text: str
    shown: str
    line: int

    @property
    def runs_here(self) -> bool:
        """Whether the command is ours, or a plain one that prepares files for ours."""
        return bool(_RUNNABLE.match(self.text))


def agrees(shown: str, actual: str) -> bool:
    """Whether output is what is shown; ``…`` stands for any text, or alone for any lines."""
    if not shown.strip():
        return True
    return re.fullmatch(_pattern(shown), _tidy(actual), re.DOTALL) is not None


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def _pattern(shown: str) -> str:
    lines = []
    for line in _tidy(shown).splitlines():
        if line.strip() == ANYTHING:
            lines.append(r"(?:[^\n]*(?:\n|\Z))*?")
        else:
            parts = (re.escape(part) for part in line.split(ANYTHING))
            lines.append(r"[^\n]*".join(parts) + r"(?:\n|\Z)")
    return "".join(lines)


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced blocks of a Markdown page in order."""
    text = page.read_text(encoding="utf-8")
    fences = list(_FENCE.finditer(text))
    blocks = []
    for number, match in enumerate(fences, start=1):
        before = text[: match.start()]
        following = fences[number] if number < len(fences) else None
        is_output = (
            following is not None
            and following.group(2) == "text"
            and not text[match.end() : following.start()].strip()
        )
        blocks.append(
            Block(
                language=match.group(2),
                text=match.group(3),
                line=text.count("\n", 0, match.start(3)) + 1,
                skipped=_SKIP.search(before) is not None,
                in_new_folder=_NEW_FOLDER.search(before) is not None,
                output=following.group(3) if following and is_output else None,
            )
        )
    return blocks


def commands_of(block: Block) -> list[Command]:
    """Return the commands of a console block; a trailing backslash continues a command."""
    commands: list[Command] = []
    lines = block.text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        last = start
        while lines[last].endswith("\\") and last + 1 < end:
            last += 1
        text = "\n".join(lines[start : last + 1]).removeprefix("$ ")
        shown = "\n".join(lines[last + 1 : end])
        commands.append(Command(text=text, shown=shown, line=block.line + start))
    return commands
