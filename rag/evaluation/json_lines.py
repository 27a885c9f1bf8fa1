"""Reads JSON Lines files that people wrote: each fault is told with its file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.errors import InvalidArgumentError
from rag.platform.at_path import at_path

ONE_OBJECT = "one JSON object a line, in UTF-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLine:
    """One object of a file, and the number of its line, from 1."""

    path: Path
    number: int
    record: dict[str, Any]

    def text(self, name: str) -> str:
        """Return a field as text, a number in digits; InvalidArgumentError where it is neither."""
        value = self.record.get(name)
        if not isinstance(value, str | int) or isinstance(value, bool):
            found = "is missing" if name not in self.record else f"is no text: {value!r:.40}"
            raise InvalidArgumentError(
                f"{self.path}, line {self.number}: {name!r} {found}",
                given=f"{self.path}:{self.number}",
                allowed=f"an object whose {name!r} is a text",
                hint="correct that line",
            )
        return str(value)


def json_lines(path: Path) -> Iterator[JsonLine]:
    """Yield the objects of a JSON Lines file; blank lines and a byte order mark are passed over.

    Raises:
        InvalidArgumentError: the file cannot be read, is not UTF-8, or a line is no object.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise _bad_line(path, number, str(error)) from None
        except RecursionError:
            raise _bad_line(path, number, "it is nested too deeply") from None
        if not isinstance(record, dict):
            raise _bad_line(path, number, "it is no object")
        yield JsonLine(path=path, number=number, record=record)


def read_text(path: Path) -> str:
    """Return the text of a file of labels, without a byte order mark.

    Raises:
        InvalidArgumentError: it is no file, cannot be read, or is not UTF-8.
    """
    try:
        data = path.read_bytes() if at_path(path).is_file else None
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    if data is None:
        raise _unreadable(path, at_path(path).fault or "there is no file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidArgumentError(
            f"{path}, line {line}, is not UTF-8: it has the byte {data[error.start]:#04x}",
            given=f"{path}:{line}",
            allowed="a text in UTF-8",
            hint="convert it first, such as with: iconv -f LATIN1 -t UTF-8",
        ) from None


def _unreadable(path: Path, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{path!s:.200} cannot be read: {why}",
        given=str(path),
        allowed="a file that this process may read",
        hint="check the path and its permissions",
    )


def _bad_line(path: Path, number: int, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{path}, line {number}, cannot be read: {why}",
        given=f"{path}:{number}",
        allowed=ONE_OBJECT,
        hint="correct that line",
    )
