"""What a person typed into the search form, as it stands in the address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from rag.errors import InvalidArgumentError
from rag.retrieval.records import MAX_K
from rag.stores.filters import FILTER_KEYS, SearchFilter, parse_filter

MODES = ("hybrid", "lexical", "vector")
MAX_BUDGET = 1_000_000
LIST_FIELDS = ("tags", "media", "lang", "source", "source_type", "doc_id")
# Those that the form shows; the others still hold when they stand in the address.
SHOWN_FILTERS = ("source", "lang", "media", "tags", "path_prefix", "path_glob", "trust_min")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageForm:
    """The fields of the form, as text; an empty one means the setting's default."""

    q: str = ""
    mode: str = ""
    other: str = ""
    k: str = ""
    budget: str = ""
    filters: tuple[tuple[str, str], ...] = ()

    @property
    def asked(self) -> bool:
        """Whether there is a question."""
        return bool(self.q.strip())

    @property
    def blank(self) -> bool:
        """Whether a question was sent that has nothing in it."""
        return bool(self.q) and not self.asked

    @property
    def filter_values(self) -> dict[str, str]:
        """The filters by key."""
        return dict(self.filters)

    def k_or_none(self) -> int | None:
        """Return how many hits are wanted; raises InvalidArgumentError."""
        return _number("k", self.k, 1, MAX_K)

    def budget_or_none(self) -> int | None:
        """Return the token budget; raises InvalidArgumentError."""
        return _number("budget", self.budget, 0, MAX_BUDGET)

    def search_filter(self) -> SearchFilter:
        """Return the filter; within a list field, a comma separates values."""
        given: dict[str, Any] = {}
        for key, text in self.filters:
            many = [part.strip() for part in text.split(",") if part.strip()]
            given[key] = many if key in LIST_FIELDS else text.strip()
        return parse_filter(given)

    def address(self, path: str, **changes: str) -> str:
        """Return a page's address with these fields in it, some of them changed."""
        fields = {"q": self.q, "mode": self.mode, "k": self.k, "budget": self.budget}
        fields |= dict(self.filters) | changes
        return f"{path}?{urlencode({name: value for name, value in fields.items() if value})}"


def read_form(params: QueryParams) -> PageForm:
    """Return the form that an address holds; unknown names are passed over."""
    return PageForm(
        q=params.get("q", ""),
        mode=params.get("mode", ""),
        other=params.get("other", ""),
        k=params.get("k", "").strip(),
        budget=params.get("budget", "").strip(),
        filters=tuple((key, params[key]) for key in FILTER_KEYS if params.get(key, "").strip()),
    )


def _number(name: str, given: str, least: int, most: int) -> int | None:
    if not given:
        return None
    plain = given.isascii() and given.isdigit() and len(given) <= len(str(most))
    if not plain or not least <= int(given) <= most:
        allowed = f"a whole number from {least:,} to {most:,}"
        raise InvalidArgumentError(
            f"{name} must be {allowed}; got {given!r:.80}", given=given, allowed=allowed
        )
    return int(given)
