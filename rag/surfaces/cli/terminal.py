"""Where output goes: results to stdout, everything said about them to stderr."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from rag.errors import RagError

if TYPE_CHECKING:
    from rich.console import Console

# what a terminal would act on instead of showing: control characters but tab and line feed
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def stdout_console() -> Console:
    """Return the console for results; it drops colour by itself where there is no terminal."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def shown(text: str) -> str:
    """Return retrieved text made safe for a terminal: control and bidi characters replaced."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def print_json(value: Any) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def print_error(error: RagError, *, as_json: bool) -> None:
    """Print an error on stderr: as ``error.v1``, or as a sentence with what to do."""
    if as_json:
        sys.stderr.write(json.dumps(error.to_wire(), ensure_ascii=False, allow_nan=False) + "\n")
        return
    lines = [f"error: {shown(error.message)}"]
    if error.allowed and error.allowed not in error.message:
        lines.append(f"  allowed: {shown(error.allowed)}")
    if error.hint:
        lines.append(f"  hint: {shown(error.hint)}")
    lines.append(f"  code: {error.code}")
    sys.stderr.write("\n".join(lines) + "\n")


def note(text: str) -> None:
    """Say something about the work, on stderr."""
    sys.stderr.write(text + "\n")
