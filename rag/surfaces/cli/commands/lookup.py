"""``rag lookup``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from rag.surfaces.cli.options import CommonOptions, FilterOptions
from rag.surfaces.cli.terminal import print_record


def lookup_command(
    query: str,
    /,
    *,
    mode: str | None = None,
    k: Annotated[int | None, Parameter(name=["--k", "-k"])] = None,
    budget: Annotated[int | None, Parameter(name=["--budget", "--budget-tokens"])] = None,
    min_quality: float | None = None,
    cursor: str | None = None,
    context: bool = False,
    filters: FilterOptions = FilterOptions(),  # noqa: B008  # frozen, so sharing it is safe
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Ask a question; get cited evidence within a token budget, and a verdict.

    The verdict says how relevant the evidence is, on what basis, and whether to ask again.

    For example:
      rag lookup "how long are backups kept?"
      rag lookup "how long are backups kept?" --budget 500 --context
      rag lookup "备份保留多久？" --lang zh --json

    Parameters
    ----------
    query
        A question, up to 4,000 characters.
    mode
        hybrid (both channels, fused), vector (alias dense) or lexical.
    k
        Candidates to make evidence of, 1 to 200.
    budget
        Tokens that the context block may take.
    min_quality
        Leave out evidence below this quality, 0 to 1.
    cursor
        Continue after an earlier result; from its next_cursor.
    context
        Print only the context block, ready to be put into a prompt.
    """
    from rag.surfaces.cli.lookup_view import print_lookup

    parsed = filters.filter()
    with common.open() as base:
        result = base.lookup(
            query,
            mode=mode,
            k=k,
            budget_tokens=budget,
            min_quality=min_quality,
            cursor=cursor,
            filters=parsed.canonical(),
        )
    if common.json:
        print_record(result)
    elif context:
        print(result.context)  # noqa: T201  # the CLI's own voice
    else:
        print_lookup(result)
    return 0
