"""The tool ``search``: ranked chunks with their scores, and no verdict."""

from __future__ import annotations

from rag.requests.request import parse_as, without_nulls
from rag.surfaces.mcp_server.text_blocks import search_text
from rag.surfaces.mcp_server.tool import READS, Answer, Call, Tool
from rag.tool import SearchRequest
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


def run(call: Call) -> Answer:
    """Search."""
    given = without_nulls(call.arguments, SearchRequest)
    request = parse_as(SearchRequest, {"max_tokens": DEFAULT_TOKENS, **given})
    result = call.base.search(request)
    return Answer(text=search_text(result), structured=to_wire(result))


SEARCH = Tool(
    name="search",
    title="Search passages",
    description=DESCRIPTION,
    takes=input_schema(SearchRequest),
    gives="search_response.v1",
    annotations=READS,
    run=run,
    smaller="ask with a smaller k or max_tokens, and follow next_cursor for more",
)
