"""Where output goes: results to stdout, everything said about them to stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rag.errors import RagError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

# what a terminal would act on instead of showing: control characters but tab and line feed
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    """Return retrieved text made safe for a terminal: control and bidi characters replaced."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def discard_output() -> None:
    """Send what standard output still holds nowhere, so that its end meets no second error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def writing() -> Iterator[None]:
    """Turn a failure to write a result, such as a full disk, into an error; not a closed pipe."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise RagError(
            f"the result cannot be written to standard output: {error.strerror or error}",
            hint="what was stored is kept; free some space, or send the output elsewhere",
        ) from error


def stdout_console() -> Console:
    """Return a console on stdout that reads no markup in what it prints; for tables."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


class Page:
    """Prints for a person: wrapped under its indentation on a terminal, unbroken lines elsewhere.

    So ``rag list | grep`` sees each thing on one line, whatever its length.
    """

    def __init__(self) -> None:
        self._console = stdout_console()
        self.width: int | None = self._console.width if self._console.is_terminal else None

    def line(
        self, text: str | Text = "", *, indent: int = 0, hang: int = 0, style: str = ""
    ) -> None:
        """Print a paragraph; what is no terminal gets it as one line.

        ``hang`` indents every row but the first further.
        """
        from rich.text import Text

        said = Text(text, style=style) if isinstance(text, str) else text
        if self.width is None:
            self._print(Text(" " * indent) + said)
            return
        room = max(20, self.width - indent - hang)
        for place, row in enumerate(said.wrap(self._console, room, overflow="fold")):
            row.rstrip()
            self._print(Text(" " * (indent + hang * (place > 0))) + row)

    def whole(self, text: str | Text, *, indent: int = 0, style: str = "") -> None:
        """Print something that is to be copied, such as a path or a cursor, without a break."""
        from rich.text import Text

        said = Text(text, style=style) if isinstance(text, str) else text
        self._print(Text(" " * indent) + said)

    def verbatim(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """Print a text line by line as it stands."""
        for line in shown(text).removesuffix("\n").split("\n"):
            self.whole(line, indent=indent if line else 0, style=style)

    def facts(self, rows: list[tuple[str, str]]) -> None:
        """Print names and values, the values in a column of their own."""
        from rich.text import Text

        column = max(len(name) for name, _ in rows) + 2
        for name, value in rows:
            if self.width is None:
                self._print(Text(f"{name:{column}}{value}".rstrip()))
                continue
            wrapped = Text(value).wrap(
                self._console, max(20, self.width - column), overflow="fold"
            ) or [Text()]
            for place, row in enumerate(wrapped):
                row.rstrip()
                head = f"{name:{column}}" if place == 0 else " " * column
                self._print(Text(head, style="dim") + row)

    def table(self, rows: list[tuple[str, ...]]) -> None:
        """Print rows in aligned columns; a terminal cuts the last column to its width."""
        from rich.cells import cell_len, set_cell_size
        from rich.text import Text

        if not rows:
            return
        widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = [set_cell_size(c, w) for c, w in zip(row[:-1], widths[:-1], strict=True)]
            text = Text("  ".join((*cells, row[-1])).rstrip())
            if self.width is not None:
                text.truncate(self.width, overflow="ellipsis")
            self._print(text)

    def _print(self, text: Text) -> None:
        with writing():
            self._console.print(text, soft_wrap=True)


def print_record(record: Any) -> None:
    """Print a published object on stdout: indented on a terminal, compact for a program."""
    from rag.wire import to_json

    with writing():
        sys.stdout.write(to_json(record, indent=2 if sys.stdout.isatty() else None) + "\n")


def print_json(value: Any) -> None:
    """Print any JSON document on stdout, indented."""
    with writing():
        sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def print_error(error: RagError, *, as_json: bool) -> None:
    """Print an error on stderr: as ``error.v1``, or as a sentence with what to do."""
    if as_json:
        # escaped, since what was given may be no Unicode
        sys.stderr.write(json.dumps(error.to_wire(), allow_nan=False) + "\n")
        return
    lines = [f"error: {shown(error.message)}"]
    if error.allowed and error.allowed not in error.message:
        lines.append(f"  allowed: {shown(error.allowed)}")
    if error.hint:
        lines.append(f"  hint: {shown(error.hint)}")
    lines.append(f"  code: {error.code}")
    sys.stderr.write("\n".join(lines) + "\n")


def no_base_yet(uri: str) -> str:
    """Return what is said where a service starts over a base that is not there."""
    return f"there is no base at {uri} yet; the first document stored makes it"


def note(text: str) -> None:
    """Say something about the work, on stderr."""
    sys.stderr.write(text + "\n")
