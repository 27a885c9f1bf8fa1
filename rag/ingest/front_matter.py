"""The block of metadata before a Markdown text: YAML between ``---``, TOML between ``+++``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

from rag.ingest.records import Trust

_BLOCK = re.compile(
    r"(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z0-9_-]+)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What a document says about itself; ``end`` is where its text proper begins."""

    end: int = 0
    title: str | None = None
    language: str | None = None
    tags: tuple[str, ...] = ()
    trust: Trust | None = None
    source_type: str | None = None


def read_front_matter(text: str) -> FrontMatter:
    """Return the metadata at the very start of ``text``; ``end`` is 0 where there is none.

    Of YAML, top-level scalars, ``[a, b]`` lists and ``- a`` lists are understood and the rest is
    passed over; a block between two rules that holds no ``key: value`` line is no front matter.
    A value that is not allowed (an unknown trust, a language of five letters) counts as absent.
    """
    match = _BLOCK.match(text)
    if match is None:
        return FrontMatter()
    values = _toml(match[2]) if match[1] == "+++" else _yaml(match[2])
    if values is None:
        return FrontMatter()
    return FrontMatter(
        end=match.end(),
        title=_word(values, "title"),
        language=language_code(_word(values, "lang") or _word(values, "language")),
        tags=_words(values, "tags"),
        trust=_trust(_word(values, "trust")),
        source_type=_word(values, "source_type"),
    )


def language_code(declared: str | None) -> str | None:
    """Return the two-letter code of a language tag such as ``pt-BR``, else None."""
    match = _LANGUAGE.match((declared or "").strip())
    return match[1].lower() if match else None


@dataclass(slots=True)
class _Lines:
    values: dict[str, str | list[str]] = field(default_factory=dict)
    key: str | None = None


def _yaml(block: str) -> Mapping[str, object] | None:
    read = _Lines()
    for line in block.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if (item := _ITEM.match(line)) and read.key is not None:
            listed = read.values.get(read.key)
            if isinstance(listed, list):
                listed.append(_unquoted(item[1]))
            continue
        if line[0] in " \t":  # a nested value: its key stays as it is
            continue
        key = _KEY.match(line)
        if key is None:
            return None
        read.key = key[1].lower()
        value = (key[2] or "").strip()
        if value.startswith("[") and value.endswith("]"):
            read.values[read.key] = [_unquoted(part) for part in value[1:-1].split(",")]
        else:
            read.values[read.key] = _unquoted(value) if value else []
    return read.values or None


def _toml(block: str) -> Mapping[str, object] | None:
    try:
        return tomllib.loads(block) or None
    except tomllib.TOMLDecodeError:
        return None


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] in "'\"":
        closing = value.find(value[0], 1)
        if closing > 0:
            return value[1:closing]
    return value.split(" #")[0].strip()


def _word(values: Mapping[str, object], key: str) -> str | None:
    value = values.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).strip() or None


def _words(values: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = values.get(key)
    found = value if isinstance(value, list) else str(value or "").split(",")
    names = (str(item).strip() for item in found)
    return tuple(dict.fromkeys(name for name in names if name))


def _trust(value: str | None) -> Trust | None:
    try:
        return Trust((value or "").lower())
    except ValueError:
        return None
