"""``rag search``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from rag.surfaces.cli.options import CommonOptions, FilterOptions
from rag.surfaces.cli.terminal import print_json


def search_command(
    query: str,
    /,
    *,
    mode: str | None = None,
    k: Annotated[int | None, Parameter(name=["--k", "-k"])] = None,
    cursor: str | None = None,
    snippet_chars: int | None = None,
    explain: Annotated[bool, Parameter(negative=())] = False,
    filters: FilterOptions = FilterOptions(),  # noqa: B008  # frozen, so sharing it is safe
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Rank chunks for a query.

    The quality bar is a ranking signal, not confidence: in hybrid and lexical mode it says where
    a hit stood, in vector mode it is the cosine.

    Examples:
      rag search "rotate signing keys"
      rag search "rotate signing keys" --explain -k 3
      rag search "密钥轮换" --mode lexical --lang zh --json

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
        Longest snippet, in characters.
    explain
        Show every channel's rank and score, the fusion sum, and what a look-up would drop.
    """
    from rag.surfaces.cli.search_view import print_search
    from rag.wire import to_wire

    with common.open() as base:
        result = base.search(
            query,
            mode=mode,
            k=k,
            filters=filters.filter(),
            cursor=cursor,
            snippet_chars=snippet_chars,
            trace=explain,
        )
    if common.json:
        print_json(to_wire(result))
    else:
        print_search(result)
    return 0
