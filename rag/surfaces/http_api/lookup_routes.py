"""``/v1/lookup``, ``/v1/lookup/batch`` and ``/v1/search``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response

from rag.errors import InvalidFilterError
from rag.evidence.batch_records import RagBatchResult
from rag.evidence.records import RagToolResult
from rag.requests.batch_request import BatchRequest
from rag.requests.lookup_request import parse_request
from rag.requests.request import parse_as
from rag.settings import Settings
from rag.stores.filters import parse_filter
from rag.surfaces.http_api.access import bearer_caller
from rag.surfaces.http_api.api_keys import READ, Caller
from rag.surfaces.http_api.openapi_parts import (
    BATCH_BODY,
    LOOKUP_BODY,
    SEARCH_BODY,
    answers,
    json_response,
)
from rag.surfaces.http_api.request_body import read_json
from rag.surfaces.http_api.services import Services, services_of
from rag.tool import LookupRequest, SearchRequest
from rag.tool.tool_schema import TOOL_DESCRIPTION, TOOL_NAME
from rag.wire import to_json
from rag.wire.search_response import SearchResult

router = APIRouter(tags=["ask"])
BATCH_NAME = "lookup_knowledge_batch"


@router.post(
    "/v1/lookup",
    operation_id="lookup",
    summary="Ask a question; get cited evidence and a verdict",
    description=TOOL_DESCRIPTION,
    openapi_extra=LOOKUP_BODY,
    responses=answers(RagToolResult),
)
async def lookup(request: Request) -> Response:
    return await _answered(request, _looked_up)


@router.post(
    "/v1/lookup/batch",
    operation_id="lookup_batch",
    summary="Ask several questions within one token budget",
    description="Each question gets its best piece first, and a piece that two of them found is "
    "sent once. A question that fails has its error in `errors`, at its place; if all fail, the "
    "whole request does. The other fields hold for every question.",
    openapi_extra=BATCH_BODY,
    responses=answers(RagBatchResult),
)
async def lookup_batch(request: Request) -> Response:
    return await _answered(request, _looked_up_many)


@router.post(
    "/v1/search",
    operation_id="search",
    summary="Rank passages for a query; no verdict",
    description="What `score` means is said by `score_kind`. `quality` is a ranking signal, not "
    "confidence. With `trace` the whole ranking of either channel comes too.",
    openapi_extra=SEARCH_BODY,
    responses=answers(SearchResult),
)
async def search(request: Request) -> Response:
    return await _answered(request, _searched)


Answering = Callable[[Services, Caller, dict[str, Any]], str]
Asked = TypeVar("Asked", LookupRequest, BatchRequest, SearchRequest)


async def _answered(request: Request, answering: Answering) -> Response:
    """Return what ``answering`` says, in a worker's thread, to the body of a caller who may ask."""
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    body = await read_json(request)
    answer = await services.reads.run(lambda: answering(services, caller, body))
    return json_response(answer)


def scoped(request: Asked, caller: Caller, settings: Settings) -> Asked:
    """Return a request about the caller's documents alone, that ends when HTTP's has to."""
    search, server = settings.search, settings.server
    update: dict[str, Any] = {
        "filters": caller.narrowed(request.filters),
        "deadline_s": min(request.deadline_s or search.deadline_s, server.timeout_s),
    }
    if not isinstance(request, SearchRequest):
        update["session_id"] = caller.session(request.session_id)
    return request.model_copy(update=update)


def _looked_up(services: Services, caller: Caller, body: dict[str, Any]) -> str:
    with services.spans.tool(TOOL_NAME, body) as span:
        request = scoped(parse_request(body), caller, services.settings)
        result = services.base.parts.tool.lookup(request)
        services.metrics.looked_up(result)
        answer = to_json(result)
        span.set_output(answer)
    return answer


def _looked_up_many(services: Services, caller: Caller, body: dict[str, Any]) -> str:
    with services.spans.tool(BATCH_NAME, body) as span:
        request = scoped(parse_as(BatchRequest, body), caller, services.settings)
        queries = tuple(_scoped_part(query, caller) for query in request.queries)
        request = request.model_copy(update={"queries": queries})
        result = services.base.parts.tool.lookup_many(request)
        for one in result.results:
            if one is not None:
                services.metrics.looked_up(one)
        answer = to_json(result)
        span.set_output(answer)
    return answer


def _searched(services: Services, caller: Caller, body: dict[str, Any]) -> str:
    request = scoped(parse_as(SearchRequest, body), caller, services.settings)
    return to_json(services.base.search(request))


def _scoped_part(query: Any, caller: Caller) -> Any:
    """Return a question of a batch with its own filter and session narrowed to the caller's."""
    if not isinstance(query, dict):
        return query
    narrowed = dict(query)
    if query.get("filters") is not None:
        narrowed["filters"] = _narrowed(query["filters"], caller)
    if isinstance(query.get("session_id"), str):
        narrowed["session_id"] = caller.session(query["session_id"])
    return narrowed


def _narrowed(filters: Any, caller: Caller) -> Any:
    try:
        return caller.narrowed(parse_filter(filters))
    except InvalidFilterError:
        return filters  # nothing is searched with it; the tool says at which place it stands
