"""What is wrong with settings, as one of our errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from rag.errors import ConfigError
from rag.errors.did_you_mean import nearest
from rag.errors.rag_error import in_words

LIKENESS = 0.7  # difflib's usual 0.6 takes nope for openai
SECRET = frozenset({"token", "sha256"})  # never shown, whatever is wrong with them
WHERE = "write a rag.toml with every setting and what it does: rag init"
EXPECTED = "Input should be "  # how pydantic begins to say what is allowed


def setting_fault(error: ValidationError, settings: type[BaseModel]) -> ConfigError:
    """Return the error for settings that do not hold; it names each, and tells of the first."""
    faults = error.errors(include_url=False)
    first = faults[0]
    path = [str(part) for part in first["loc"]]
    allowed, hint = _allowed(first, path, settings)
    return ConfigError(
        "invalid settings: " + "; ".join(map(_sentence, faults)),
        given=_given(first, path),
        allowed=allowed,
        hint=hint,
        details={"settings": [".".join(map(str, fault["loc"])) or "settings" for fault in faults]},
    )


def _sentence(fault: Any) -> str:
    path = [str(part) for part in fault["loc"]]
    where, said = ".".join(path) or "settings", _message(fault)
    if not said.startswith(EXPECTED):
        return f"{where}: {said}"
    given = _given(fault, path).removeprefix(where).removeprefix(" = ")
    allowed = said.removeprefix(EXPECTED)
    if fault["type"] == "literal_error":
        allowed = f"one of: {', '.join(_names_in(fault))}"
    return f"{where!r} must be {allowed}" + (f"; got {given}" if given else "")


def _message(fault: Any) -> str:
    return str(fault["msg"]).removeprefix("Value error, ")  # of our own checks


def _given(fault: Any, path: list[str]) -> str:
    name, value = ".".join(path) or "settings", fault["input"]
    if (
        fault["type"] == "extra_forbidden"  # a secret under a mistyped name, for all we know
        or SECRET & set(path)
        or not isinstance(value, str | int | float | list | tuple)
        or "@" in in_words(value)  # a URL with a password
    ):
        return name
    return f"{name} = {in_words(value, limit=100)}"


def _allowed(fault: Any, path: list[str], settings: type[BaseModel]) -> tuple[str, str]:
    if fault["type"] == "literal_error":
        names = _names_in(fault)
        return ", ".join(names), _nearest(fault["input"], names)
    if fault["type"] == "extra_forbidden":
        names = _names(path[:-1], settings)
        return ", ".join(names) or "no such setting", _nearest(path[-1], names)
    return _message(fault).removeprefix(EXPECTED), WHERE


def _names_in(fault: Any) -> list[str]:
    """Return the words that a setting of a few words takes."""
    return re.findall(r"'([^']+)'", fault["ctx"]["expected"])


def _names(path: list[str], settings: type[BaseModel]) -> list[str]:
    """Return the settings of a section; none where the path leads into no section."""
    model: Any = settings
    for part in path:
        field = getattr(model, "model_fields", {}).get(part)
        model = field.annotation if field is not None else None
    return list(getattr(model, "model_fields", {}))


def _nearest(given: object, known: Iterable[str]) -> str:
    near = nearest(given, known, likeness=LIKENESS)
    return f"did you mean {near!r}? {WHERE}" if near else WHERE
