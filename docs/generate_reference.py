"""Write the pages and JSON schemas under docs/ that follow from the code.

    python docs/generate_reference.py

The tests call :func:`pages` and fail when a page differs from its code.
"""
# ruff: noqa: E501 - the prose of these pages has one sentence per line

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rag import errors
from rag.errors import RagError
from rag.settings import Settings
from rag.wire import WIRE_TYPES, json_schema

DOCS = Path(__file__).resolve().parent
COMMAND = "python docs/generate_reference.py"

ERRORS_HEAD = """\
# Errors

<!-- Written by `{command}` from rag/errors/__init__.py; edit that file instead. -->

Every failure that leaves the package is one of these classes, on every surface.
In Python it is raised; on the command line and with `--json` it is an `error.v1` object on standard error.
The code is stable: programs should branch on it, never on the message.
Catching a class catches everything indented below it.

| code | class | exit | when it happens, and what to do |
|---|---|---|---|
"""

ERRORS_TAIL = """
## The wire object

Every error becomes one JSON object with these seven keys, none of which is ever left out.

```python
import json

from rag.errors import InvalidArgumentError

error = InvalidArgumentError(
    "k must be between 1 and 200; got 0", given=0, allowed="1 to 200", hint="leave k out"
)
assert json.loads(json.dumps(error.to_wire())) == {
    "schema_version": "error.v1",
    "code": "invalid_argument",
    "message": "k must be between 1 and 200; got 0",
    "given": "0",
    "allowed": "1 to 200",
    "hint": "leave k out",
    "details": {},
}
```

`given` is what the caller wrote, cut to 200 characters, and never a secret.
`allowed` says what would have been accepted, `hint` what to do next; both are always there, and `given` wherever something was.

## Exit codes

| code | meaning |
|---|---|
| 0 | done; a search without hits is done too |
| 1 | understood and refused: read-only, or a confirmation is missing |
| 2 | an error from the table above |
| 3 | `rag doctor` found something unhealthy |
| 130 | interrupted; what was written is kept |
"""

SETTINGS_HEAD = """\
# Settings

<!-- Written by `{command}` from rag/settings/; edit that file instead. -->

A setting is looked for in this order, and the first that is found wins: an argument, an environment variable, `rag.toml` in the current folder, the default.
An environment variable is `RAG_`, the section, two underscores, and the name: `RAG_SEARCH__K=5`.
In `rag.toml` a section is a table:

```toml
[search]
k = 5
```

An unknown name, also in the environment, or a value out of range is an error (`config_invalid`) that names it.
`rag init` writes a `rag.toml` to start from.
"""


def error_classes(
    root: type[RagError] = RagError, depth: int = 0
) -> list[tuple[int, type[RagError]]]:
    """Return the tree of errors in the order of their definition, each with its depth from 0."""
    found = [(depth, root)]
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            found += error_classes(child, depth + 1)
    return found


def errors_page() -> str:
    """Return the text of docs/errors.md."""
    rows = []
    for depth, kind in error_classes():
        indent = "&emsp;" * depth
        meaning = _first_paragraph(kind)
        rows.append(f"| `{kind.code}` | {indent}`{kind.__name__}` | {kind.exit_code} | {meaning} |")
    return ERRORS_HEAD.format(command=COMMAND) + "\n".join(rows) + "\n" + ERRORS_TAIL


def _first_paragraph(kind: type) -> str:
    text = (inspect.getdoc(kind) or "").split("\n\n", 1)[0]
    return " ".join(text.split()).replace("``", "`")


def settings_page() -> str:
    """Return the text of docs/settings.md."""
    parts = [SETTINGS_HEAD.format(command=COMMAND)]
    loose = []
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            parts.append(_section(name, section))
        else:
            loose.append(_row(name, field))
    if loose:
        parts.append("\n## Without a section\n\n" + _TABLE_HEAD + "\n".join(loose) + "\n")
    return "".join(parts)


_TABLE_HEAD = "| name | allowed | default | what it does |\n|---|---|---|---|\n"


def _section(name: str, section: type[BaseModel]) -> str:
    summary = _first_paragraph(section)
    rows = [_row(f"{name}.{key}", field) for key, field in section.model_fields.items()]
    return f"\n## `[{name}]`\n\n{summary}\n\n{_TABLE_HEAD}" + "\n".join(rows) + "\n"


def _row(name: str, field: FieldInfo) -> str:
    return f"| `{name}` | {_allowed(field)} | {_default(field)} | {field.description} |"


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{list(value)}`"
    return '`""`' if value == "" else f"`{value}`"


def _allowed(field: FieldInfo) -> str:
    kind: Any = field.annotation
    options = [option for option in get_args(kind) if option is not type(None)]
    if get_origin(kind) is Literal:
        return ", ".join(f"`{option}`" for option in options)
    if get_origin(kind) is not tuple and len(options) == 1:
        kind = options[0]  # X | None
    tables = options and isinstance(options[0], type) and issubclass(options[0], BaseModel)
    word = _KINDS.get(
        getattr(kind, "__name__", ""), "list of tables" if tables else "list of texts"
    )
    bounds = [text for item in field.metadata for text in _bound(item)]
    return " ".join([word, *bounds])


_KINDS = {
    "bool": "`true` or `false`",
    "int": "whole number",
    "float": "number",
    "str": "text",
    "SecretStr": "secret text",
    "Path": "path",
}
_SIGNS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below", "pattern": "like"}


def _bound(constraint: object) -> list[str]:
    return [
        f"{words} `{value}`" if key == "pattern" else f"{words} {value:,}"
        for key, words in _SIGNS.items()
        if (value := getattr(constraint, key, None)) is not None
    ]


WIRE_HEAD = """\
# Wire objects

<!-- Written by `{command}` from rag/wire; edit that folder instead. -->

Every object that leaves the package as JSON, from the command line, a server or `rag.wire.to_json`, is one of these.
Each has a JSON schema (draft 2020-12) under `docs/wire-schema/v1/`, closed to unknown fields, every field always there; `rag schema NAME` prints it.
Its name stands in its field `schema_version`.
Within `v1` a field may be added; none is removed, renamed or given another meaning.
No object holds `NaN` or `Infinity`: a number that is not finite is `null`.

| object | what it is |
|---|---|
"""

WIRE_TAIL = """
## In Python

Methods return frozen records; `to_wire` turns one into the object, `to_json` into its text.

```python
import json

from rag.errors import InvalidArgumentError
from rag.wire import json_schema, to_json
from rag.wire.error_object import error_object

record = error_object(
    InvalidArgumentError("k must be 1 to 200; got 0", given=0, allowed="1 to 200")
)
assert json.loads(to_json(record))["schema_version"] == "error.v1"
assert json_schema("error.v1")["additionalProperties"] is False
```
"""


def schema_file(name: str) -> str:
    """Return where the schema of a wire object stands below docs/."""
    return f"wire-schema/v1/{name.removesuffix('.v1')}.schema.json"


def wire_page() -> str:
    """Return the text of docs/wire-schema.md."""
    rows = [
        f"| [`{name}`]({schema_file(name)}) | {_first_paragraph(kind).replace(f' (`{name}`)', '')} |"
        for name, kind in WIRE_TYPES.items()
    ]
    return WIRE_HEAD.format(command=COMMAND) + "\n".join(rows) + "\n" + WIRE_TAIL


def wire_schemas() -> dict[str, str]:
    """Return every published JSON schema: its file below docs/ and its text."""
    return {
        schema_file(name): json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n"
        for name in WIRE_TYPES
    }


def pages() -> dict[str, str]:
    """Return every generated file below docs/ and its text."""
    return {
        "errors.md": errors_page(),
        "settings.md": settings_page(),
        "wire-schema.md": wire_page(),
        **wire_schemas(),
    }


if __name__ == "__main__":
    for page_name, text in pages().items():
        (DOCS / page_name).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / page_name).write_text(text, encoding="utf-8")
