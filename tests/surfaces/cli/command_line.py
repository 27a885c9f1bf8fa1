"""Runs ``rag`` in this process and checks whatever it emits as JSON against its schema."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rag.surfaces.cli.app import run
from rag.wire import json_schema


@cache
def validator(name: str) -> Draft202012Validator:
    """Return what checks an object of this name; the schema itself is checked too."""
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def checked(text: str) -> dict[str, Any]:
    """Return the object that a text holds, once it is valid under the schema it names."""

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    value: dict[str, Any] = json.loads(text, parse_constant=refuse)
    validator(value["schema_version"]).validate(value)
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One command that ran: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object on standard output."""
        assert self.code in (0, 3), self.err
        return checked(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The objects on standard output, one a line."""
        return [checked(line) for line in self.out.splitlines()]

    @property
    def error(self) -> dict[str, Any]:
        """The one error on standard error; there is nothing else, and no result."""
        assert self.out == ""
        assert "Traceback" not in self.err
        assert len(self.err.splitlines()) == 1, self.err
        return checked(self.err)


class CommandLine:
    """Runs commands with some arguments added to each."""

    def __init__(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *extra: str
    ) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        self._extra = extra

    def at(self, store: object) -> CommandLine:
        """Return a command line whose commands use this store."""
        return CommandLine(self._capsys, self._monkeypatch, "--store", str(store))

    def __call__(self, *arguments: object, stdin: str | bytes | None = None) -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin or b""
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
        self._capsys.readouterr()
        code = run([*map(str, arguments), *self._extra])
        printed = self._capsys.readouterr()
        return Ran(code=code, out=printed.out, err=printed.err)
