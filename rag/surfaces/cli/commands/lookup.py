"""``rag lookup``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from rag.surfaces.cli.options import AnyNumber, CommonOptions, FilterOptions, WholeNumber
from rag.surfaces.cli.shown_default import default_of
from rag.surfaces.cli.terminal import note, print_record


def lookup_command(
    query: str,
    /,
    *,
    mode: Annotated[str | None, Parameter(show_default=default_of("search.mode"))] = None,
    k: Annotated[
        WholeNumber | None, Parameter(name=["--k", "-k"], show_default=default_of("search.k"))
    ] = None,
    budget_tokens: Annotated[
        WholeNumber | None,
        Parameter(
            name=["--budget", "--budget-tokens"], show_default=default_of("evidence.budget_tokens")
        ),
    ] = None,
    min_quality: Annotated[
        AnyNumber | None, Parameter(show_default=default_of("evidence.min_quality"))
    ] = None,
    cursor: str | None = None,
    attempt: WholeNumber | None = None,
    seen_chunk_ids: Annotated[tuple[str, ...], Parameter(name=["--seen-chunk-ids", "--seen"])] = (),
    deadline_s: Annotated[
        AnyNumber | None,
        Parameter(
            name=["--deadline", "--deadline-s"], show_default=default_of("search.deadline_s")
        ),
    ] = None,
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
    budget_tokens
        Tokens that the context block may take; 0 returns the verdict alone.
    min_quality
        Leave out evidence below this quality, 0 to 1.
    cursor
        Continue after an earlier result; from its next_cursor.
    attempt
        Which look-up of this question this is, from 1, so that the advice can be to stop.
    seen_chunk_ids
        A chunk id that an earlier attempt gave, beside --attempt; repeat for several.
    deadline_s
        Seconds that the search may take.
    context
        Print only the context block, ready to be put into a prompt.
    """
    from rag.evidence.records import RelevanceLevel
    from rag.requests.lookup_request import parse_request
    from rag.surfaces.cli.lookup_view import print_lookup, verdict
    from rag.surfaces.cli.origins import origins_of

    given = parse_request(
        {
            "query": query,
            "mode": mode,
            "k": k,
            "budget_tokens": budget_tokens,
            "min_quality": min_quality,
            "cursor": cursor,
            "filters": filters.given(),
            "attempt": attempt,
            "seen_chunk_ids": seen_chunk_ids,
            "deadline_s": deadline_s,
        }
    )
    with common.open() as base:
        result = base.lookup(given)
        origins = origins_of(
            base, (one for item in result.evidence for one in (item.citation, *item.also_in))
        )
    if common.json:
        print_record(result)
    elif context:
        if result.relevance_level is RelevanceLevel.NONE:
            note(verdict(result))  # beside the block, which goes into a prompt as it stands
        print(result.context)  # noqa: T201  # the CLI's own voice
    else:
        print_lookup(result, origins)
    return 0
