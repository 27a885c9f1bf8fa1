"""``rag search``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

from cyclopts import Parameter

from rag.errors import InvalidArgumentError
from rag.surfaces.cli.options import AnyNumber, CommonOptions, FilterOptions, WholeNumber
from rag.surfaces.cli.shown_default import default_of
from rag.surfaces.cli.terminal import note, print_record, writing
from rag.surfaces.counted import counted


def search_command(
    query: str | None = None,
    /,
    *,
    mode: Annotated[str | None, Parameter(show_default=default_of("search.mode"))] = None,
    k: Annotated[
        WholeNumber | None, Parameter(name=["--k", "-k"], show_default=default_of("search.k"))
    ] = None,
    cursor: str | None = None,
    snippet_chars: Annotated[
        WholeNumber | None, Parameter(show_default=default_of("search.snippet_chars"))
    ] = None,
    max_tokens: WholeNumber | None = None,
    trace: Annotated[bool, Parameter(name=["--explain", "--trace"])] = False,
    deadline_s: Annotated[
        AnyNumber | None,
        Parameter(
            name=["--deadline", "--deadline-s"], show_default=default_of("search.deadline_s")
        ),
    ] = None,
    bulk: bool = False,
    filters: FilterOptions = FilterOptions(),  # noqa: B008  # frozen, so sharing it is safe
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Rank chunks for a query.

    The quality bar is a ranking signal, not confidence: in hybrid and lexical mode it says where
    a hit stood, in vector mode it is the cosine.

    For example:
      rag search "rotate signing keys"
      rag search "rotate signing keys" --explain -k 3
      rag search "密钥轮换" --mode lexical --lang zh --json
      rag search "backups" --max-tokens 800 --json
      rag search --bulk < queries.ndjson

    With --bulk each line of standard input is a search of its own, at most 100:
      {"query": "backups", "k": 3, "lang": ["en"], "max_tokens": 800}

    Parameters
    ----------
    query
        Words or a question, up to 4,000 characters.
    mode
        hybrid (both channels, fused), vector (alias dense) or lexical.
    k
        Hits per page, 1 to 200.
    cursor
        Continue after an earlier page; from its next_cursor.
    snippet_chars
        Longest snippet, 20 to 4,000 characters.
    max_tokens
        Tokens that the hits may take as JSON: snippets get shorter, then hits go from the end.
    trace
        Show every channel's rank and score, the fusion sum, and what a look-up would leave out.
    deadline_s
        Seconds that the search may take.
    bulk
        Answer the searches on standard input, one JSON object a line, with one line each.
    """
    if bulk:
        given = (query, mode, k, cursor, snippet_chars, max_tokens, trace or None, deadline_s)
        if any(value is not None for value in given) or any(filters.given().values()):
            raise InvalidArgumentError(
                "--bulk takes query, options and filters from each line of standard input",
                given="--bulk beside other search options",
                allowed='lines such as {"query": "backups", "k": 3}',
            )
        return _bulk(common)
    if query is None:
        raise InvalidArgumentError(
            "there is nothing to search for",
            allowed="a query",
            hint='for example: rag search "rotate signing keys"',
        )
    from rag.requests.request import parse_as
    from rag.surfaces.cli.origins import origins_of
    from rag.surfaces.cli.search_view import print_search
    from rag.tool import SearchRequest

    request = parse_as(
        SearchRequest,
        {
            "query": query,
            "mode": mode,
            "k": k,
            "filters": filters.given(),
            "cursor": cursor,
            "snippet_chars": snippet_chars,
            "max_tokens": max_tokens,
            "trace": trace,
            "deadline_s": deadline_s,
        },
    )
    with common.open() as base:
        result = base.search(request)
        origins = origins_of(base, (hit.citation for hit in result.hits))
    if common.json:
        print_record(result)
    else:
        print_search(result, origins)
    return 0


def _bulk(common: CommonOptions) -> int:
    from rag.wire import to_json
    from rag.wire.bulk_search import MAX_BULK, bulk_line, check_bulk_size

    lines = list(islice(_lines(), MAX_BULK + 1))
    check_bulk_size(len(lines))
    failed = 0
    with common.open() as base:
        for line in lines:
            item = bulk_line(line, base.search)
            failed += item.error is not None
            with writing():
                sys.stdout.write(to_json(item) + "\n")
                sys.stdout.flush()  # a reader at the other end sees each answer as it comes
    searches = counted(len(lines), "search", "searches")
    note(f"{searches}: {len(lines) - failed} answered, {failed} failed")
    return 0


def _lines() -> Iterator[bytes]:
    for line in sys.stdin.buffer:
        if text := line.strip():
            yield text
