"""Whether a chunk passes a filter, decided here and not by an engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter

from rag.errors import InvalidFilterError
from rag.ingest.records import Trust
from rag.ranking.records import StoredChunk
from rag.stores.filters import SearchFilter

MAX_GLOB_CHARS = 1_000  # no path is longer, and the time to match grows with the pattern

Predicate = Callable[[StoredChunk], bool]
_TRUST_ORDER = {level: place for place, level in enumerate(Trust)}  # most trusted first


def matches(search_filter: SearchFilter, chunk: StoredChunk) -> bool:
    """Whether the chunk satisfies every key of the filter."""
    return matcher(search_filter)(chunk)


def matcher(search_filter: SearchFilter) -> Predicate:
    """Return :func:`matches` for one filter, prepared for many chunks.

    Raises:
        InvalidFilterError: ``path_glob`` is too long.
    """
    predicates = tuple(_predicates(search_filter))

    def passes(chunk: StoredChunk) -> bool:
        return all(predicate(chunk) for predicate in predicates)

    return passes


def _predicates(given: SearchFilter) -> Iterator[Predicate]:
    for field, values in (
        ("doc_id", given.doc_id),
        ("tenant", () if given.tenant is None else (given.tenant,)),
        ("source", given.source),
        ("source_type", given.source_type),
        ("media", given.media),
        ("language", given.lang),
    ):
        if values:
            yield _one_of(field, values)
    if given.tags:
        wanted = frozenset(given.tags)
        yield lambda chunk: not wanted.isdisjoint(chunk.tags)
    if given.trust_min is not None:
        lowest = _TRUST_ORDER[given.trust_min]
        yield lambda chunk: _TRUST_ORDER[chunk.trust] <= lowest
    if given.path_prefix is not None:
        prefix = given.path_prefix
        yield lambda chunk: chunk.uri.startswith(prefix)
    if given.path_glob is not None:
        pattern = glob_regex(given.path_glob)
        yield lambda chunk: pattern.match(chunk.uri) is not None
    if given.indexed_after is not None:
        earliest = given.indexed_after
        yield lambda chunk: _instant(chunk.indexed_at) >= earliest


def _one_of(field: str, values: Sequence[str]) -> Predicate:
    read, allowed = attrgetter(field), frozenset(values)
    return lambda chunk: read(chunk) in allowed


def _instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


@lru_cache(maxsize=256)
def glob_regex(pattern: str) -> re.Pattern[str]:
    """Return the compiled form of a path glob; ``match`` on a whole path decides.

    ``*`` is any run of characters but ``/``, ``?`` any one of them, ``**`` any run, and
    ``**/`` any number of whole folders, none included. ``[a-z]`` and ``[!a-z]`` are one
    character of a set, never ``/``; a ``[`` that is not closed is itself. ``\\`` takes the next
    character literally. Case matters, and names that begin with a dot are like any other.

    The time to match is bounded by a polynomial in the length of the path: between wildcards
    the first fit is taken for good (an atomic group), which for globs misses nothing.

    Raises:
        InvalidFilterError: the pattern is longer than 1,000 characters.
    """
    if len(pattern) > MAX_GLOB_CHARS:
        raise InvalidFilterError(
            f"path_glob has {len(pattern)} characters; at most {MAX_GLOB_CHARS} are allowed",
            given=pattern,
            allowed=f"at most {MAX_GLOB_CHARS} characters",
        )
    # Pieces stand between `**`s. A piece but the first may begin anywhere its lead allows;
    # every piece but the last is settled at its first fit.
    regex, lead, piece = "", "", [""]
    for token, text in _tokens(pattern):
        if token in ("any", "folders"):
            body = lead + _piece(piece, anchored=False)
            regex += f"(?>{body})" if lead else body
            lead, piece = (r"(?:.*?/)??" if token == "folders" else r".*?"), [""]
        elif token == "star":
            piece.append("")
        else:
            piece[-1] += text
    return re.compile(regex + lead + _piece(piece, anchored=True) + r"\Z", re.DOTALL)


def _piece(runs: list[str], *, anchored: bool) -> str:
    """Return runs of fixed length joined by ``*``; anchored ones end where the path ends."""
    first, *others = runs
    if not others:
        return first
    *middle, last = others
    regex = first + "".join(rf"(?>[^/]*?{run})" for run in middle)
    return regex + (rf"[^/]*{last}" if anchored else rf"(?>[^/]*?{last})")


def _tokens(pattern: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(pattern):
        char = pattern[place]
        if char == "*":
            end = place
            while pattern[end : end + 1] == "*":
                end += 1
            starts_segment = place == 0 or pattern[place - 1] == "/"
            if end - place == 1:
                yield "star", ""
            elif starts_segment and pattern[end : end + 1] == "/":
                end += 1
                yield "folders", ""
            else:
                yield "any", ""
            place = end
        elif char == "?":
            yield "one", "[^/]"
            place += 1
        elif char == "[" and (end := _set_end(pattern, place)):
            yield "set", _set_regex(pattern[place + 1 : end])
            place = end + 1
        else:
            if char == "\\" and place + 1 < len(pattern):
                place += 1
            yield "char", re.escape(pattern[place])
            place += 1


def _set_end(pattern: str, start: int) -> int:
    """Return where the set that opens at ``start`` closes, or 0; a leading ``]`` is a member."""
    first = start + 1 + (pattern[start + 1 : start + 2] in ("!", "^"))
    return max(0, pattern.find("]", first + 1))


def _set_regex(body: str) -> str:
    negated = body[0] in "!^"
    members = body[1:] if negated else body
    parts = []
    place = 0
    while place < len(members):
        low = members[place]
        if members[place + 1 : place + 2] == "-" and place + 2 < len(members):
            high = members[place + 2]
            if low <= high:  # a range the wrong way round has no members
                parts.append(f"{re.escape(low)}-{re.escape(high)}")
            place += 3
        else:
            parts.append(re.escape(low))
            place += 1
    if not parts:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{''.join(parts)}]"
