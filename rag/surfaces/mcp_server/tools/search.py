"""The tool ``search``: ranked chunks with their scores, and no verdict."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rag.retrieval.document_fetcher import MAX_TOKENS
from rag.retrieval.records import MAX_K, MAX_QUERY_CHARS
from rag.stores.filters import SearchFilter
from rag.surfaces.mcp_server.text_blocks import search_text
from rag.surfaces.mcp_server.tool import READS, Answer, Call, Tool, ToolArguments, parse_arguments
from rag.tool.lookup_request import Filters
from rag.tool.tool_schema import input_schema
from rag.wire import to_wire

DEFAULT_TOKENS = 8_000  # twenty or thirty hits; what is sent beside them is less than half of it
DESCRIPTION = """\
Ranks passages for a query and returns where each stands, a snippet, and its raw scores; no \
verdict, no budget. Use lookup_knowledge to answer a question; use this to see what there is, or \
to compare modes.

What score means is said by score_kind: rrf is a rank fusion in [0, 1], cosine a similarity, bm25 \
an unbounded word score. quality is a ranking signal, not confidence. Read more of a hit with \
fetch and its chunk_id; next_cursor, with the same query, mode and filters, gives the next page."""


class SearchArguments(ToolArguments):
    """Arguments of ``search``."""

    query: str = Field(
        description="Words or a question.",
        json_schema_extra={"minLength": 1, "maxLength": MAX_QUERY_CHARS},
    )
    mode: Literal["hybrid", "vector", "dense", "lexical"] | None = Field(
        default=None,
        description="hybrid asks by words and by meaning and fuses both; vector (or dense) by "
        "meaning alone; lexical by words alone.",
    )
    k: int | None = Field(default=None, ge=1, le=MAX_K, description="Hits per page.")
    filters: Filters = Field(default_factory=SearchFilter)
    cursor: str | None = Field(
        default=None,
        description="The next_cursor of an earlier page of the same query, mode and filters.",
    )
    snippet_chars: int | None = Field(
        default=None, ge=20, le=4_000, description="Longest snippet, in characters."
    )
    max_tokens: int = Field(
        default=DEFAULT_TOKENS,
        ge=0,
        le=MAX_TOKENS,
        description="Tokens that the hits may take: snippets get shorter, then hits go to the "
        "next page.",
    )


def run(call: Call) -> Answer:
    """Search."""
    given = parse_arguments(SearchArguments, call.arguments)
    result = call.base.search(
        given.query,
        mode=given.mode,
        k=given.k,
        filters=given.filters,
        cursor=given.cursor,
        snippet_chars=given.snippet_chars,
        max_tokens=given.max_tokens,
    )
    return Answer(text=search_text(result), structured=to_wire(result))


SEARCH = Tool(
    name="search",
    title="Search passages",
    description=DESCRIPTION,
    takes=input_schema(SearchArguments),
    gives="search_response.v1",
    annotations=READS,
    run=run,
    smaller="ask with a smaller k or max_tokens, and follow next_cursor for more",
)
