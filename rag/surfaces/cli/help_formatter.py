"""How ``--help`` looks: names in one column, what they mean in another, nothing around them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

NAME_COLUMN = 26  # a longer name has its meaning on the next line
WIDEST = 100  # longer lines are hard to read


class HelpFormatter:
    """Renders a help page for ``cyclopts``; see ``cyclopts.help.protocols.HelpFormatter``."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        if not panel.entries:
            return
        width = min(console.width, WIDEST)
        lines = ["", f"{_plain(panel.title)}:"]
        rows = [
            (", ".join(entry.display_labels_with_metavar), _meaning(entry))
            for entry in panel.entries
        ]
        column = min(NAME_COLUMN, max(len(name) for name, _ in rows)) + 4
        for name, meaning in rows:
            wrapped = textwrap.wrap(meaning, max(20, width - column)) or [""]
            if len(name) + 4 > column:
                lines.append(f"  {name}")
            else:
                lines.append(f"  {name:{column - 2}}{wrapped.pop(0)}".rstrip())
            lines += [" " * column + line for line in wrapped]
        _print(console, "\n".join(lines))

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """Print how the command is called."""
        text = _plain(usage)
        if text:
            _print(console, text if text.startswith("Usage:") else f"Usage: {text}")

    def render_description(
        self, console: Console, options: ConsoleOptions, description: Any
    ) -> None:
        """Print a command's description: its paragraphs wrapped, its examples as they stand."""
        width = min(console.width, WIDEST)
        paragraphs = []
        for paragraph in _plain(description).split("\n\n"):
            if "\n  " in paragraph:
                paragraphs.append(paragraph)
            else:
                paragraphs.append(textwrap.fill(" ".join(paragraph.split()), width))
        _print(console, "\n" + "\n\n".join(paragraphs))


def _meaning(entry: HelpEntry) -> str:
    """Return what an option is for, and in brackets what holds where it is left out."""
    said = _plain(entry.description)
    if not entry.default:
        return said
    return f"{said.removesuffix('.')} ({entry.default})."


def _plain(value: Any) -> str:
    """Return the text of what cyclopts hands over: a string, or one of its rich texts."""
    if value is None or isinstance(value, str):
        return (value or "").strip()
    inner = getattr(value, "primary_renderable", value)
    return str(getattr(inner, "plain", inner)).strip()


def _print(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)
