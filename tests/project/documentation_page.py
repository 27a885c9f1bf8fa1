"""A documentation page as a reader follows it: its blocks of code, top to bottom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(`{3,})(\w*)[^\n]*\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_SKIP = re.compile(r"<!-- skip: (.{10,}?) -->\s*\Z")  # a reason has at least ten characters
_RUNNABLE = re.compile(r"(?:[A-Z_]+=\S* )*(?:rag|mkdir|printf|echo|cat|cp)\b")
ANYTHING = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block: its language, its text, and the line that its text starts on."""

    language: str
    text: str
    line: int
    skipped: bool


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

    def output_agrees(self, actual: str) -> bool:
        """Whether the output is what is shown; ``…`` stands for any text, or any lines."""
        if not self.shown.strip():
            return True
        return re.fullmatch(_pattern(self.shown), _tidy(actual), re.DOTALL) is not None


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
    return [
        Block(
            language=match.group(2),
            text=match.group(3),
            line=text.count("\n", 0, match.start(3)) + 1,
            skipped=_SKIP.search(text[: match.start()]) is not None,
        )
        for match in _FENCE.finditer(text)
    ]


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
