"""A search filter as a Milvus expression, with every value quoted or sent beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rag.ingest.records import Trust
from rag.stores.filters import SearchFilter
from rag.stores.milvus.rows import microseconds, tag_key

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_LAST_CODE_POINT = 0x10FFFF
_FIRST_SURROGATE, _AFTER_SURROGATES = 0xD800, 0xE000

Value = str | int | Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A Milvus expression; ``params`` are the values of its ``{names}`` (servers only).

    ``impossible`` means that no row can pass, so the engine need not be asked.
    """

    text: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    impossible: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments for ``MilvusClient.search`` and ``query``."""
        return {"filter": self.text, **({"filter_params": self.params} if self.params else {})}


def literal(value: str) -> str:
    """Return a string as a literal that Milvus Lite and Milvus read back unchanged."""
    return f'"{value.translate(_ESCAPES)}"'


class ExpressionBuilder:
    """Collects conditions that all must hold.

    Milvus Lite 3.2.2 rejects templates, so values are written into the text there; a server gets
    them beside it, where no value can change the expression.
    """

    def __init__(self, *, templates: bool) -> None:
        self._templates = templates
        self._conditions: list[str] = []
        self._params: dict[str, Any] = {}
        self._impossible = False

    def value(self, value: Value) -> str:
        """Return a value as it stands in the expression: a literal, or the name of a template."""
        if self._templates:
            name = f"p{len(self._params)}"
            self._params[name] = value if isinstance(value, str | int) else list(value)
            return f"{{{name}}}"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, str):
            return literal(value)
        return f"[{', '.join(map(literal, value))}]"

    def add(self, condition: str) -> ExpressionBuilder:
        """Demand a condition, written in Milvus' language; values come from :meth:`value`."""
        self._conditions.append(condition)
        return self

    def one_of(self, name: str, values: Sequence[str]) -> ExpressionBuilder:
        """Demand that a field equals one of the values; those that are no Unicode never do."""
        possible = [value for value in values if _encodable(value)]
        if not possible:
            self._impossible = True
            return self
        if len(possible) == 1:
            return self.add(f"{name} == {self.value(possible[0])}")
        return self.add(f"{name} in {self.value(possible)}")

    def starts_with(self, name: str, prefix: str) -> ExpressionBuilder:
        """Demand that a field starts with the prefix, taken literally.

        Two comparisons say it without LIKE, whose escapes Milvus Lite reads in two ways.
        """
        if not _encodable(prefix):
            self._impossible = True
            return self
        if prefix:
            self.add(f"{name} >= {self.value(prefix)}")
            end = first_after_prefix(prefix)
            if end is not None:
                self.add(f"{name} < {self.value(end)}")
        return self

    def any_tag(self, tags: Sequence[str]) -> ExpressionBuilder:
        """Demand one of the tags."""
        possible = [tag for tag in tags if _encodable(tag)]
        if not possible:
            self._impossible = True
            return self
        if self._templates:
            return self.add(f"array_contains_any(tags, {self.value(possible)})")
        return self.add(
            "(" + " or ".join(f'tag_keys like "%|{tag_key(t)}|%"' for t in possible) + ")"
        )

    def filter(
        self, given: SearchFilter, doc_ids_of_glob: Sequence[str] | None
    ) -> ExpressionBuilder:
        """Demand every key of a filter; a glob has been resolved to document ids before."""
        for name, values in (
            ("doc_id", given.doc_id),
            ("tenant", () if given.tenant is None else (given.tenant,)),
            ("source", given.source),
            ("source_type", given.source_type),
            ("media", given.media),
            ("language", given.lang),
        ):
            if values:
                self.one_of(name, values)
        if given.tags:
            self.any_tag(given.tags)
        if given.trust_min is not None:
            levels = list(Trust)
            self.one_of("trust", [str(t) for t in levels[: levels.index(given.trust_min) + 1]])
        if given.path_prefix is not None:
            self.starts_with("uri", given.path_prefix)
        if doc_ids_of_glob is not None:
            self.one_of("doc_id", doc_ids_of_glob)
        if given.indexed_after is not None:
            self.add(f"indexed_us >= {microseconds(given.indexed_after)}")
        return self

    def build(self) -> Expression:
        """Return the expression so far."""
        text = " and ".join(self._conditions)
        return Expression(text=text, params=dict(self._params), impossible=self._impossible)


def first_after_prefix(prefix: str) -> str | None:
    """Return the least text greater than every text with this prefix, by code points.

    That is the order of UTF-8 bytes too. None where nothing is greater.
    """
    for place in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[place]) + 1
        if code == _FIRST_SURROGATE:
            code = _AFTER_SURROGATES
        if code <= _LAST_CODE_POINT:
            return prefix[:place] + chr(code)
    return None


def _encodable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
