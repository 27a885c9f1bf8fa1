"""``/v1/documents`` and ``/v1/chunks``: what the base holds."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from rag.requests.fetch_request import FetchRequest, parse_fetch
from rag.requests.list_request import ListRequest
from rag.requests.request import parse_as
from rag.retrieval.document_fetcher import FetchResult
from rag.stores.filters import SearchFilter
from rag.surfaces.http_api.access import bearer_caller
from rag.surfaces.http_api.api_keys import READ, WRITE
from rag.surfaces.http_api.openapi_parts import (
    FILTER_OPTIONS,
    LIST_LIMIT,
    answers,
    field_options,
    json_response,
    options,
)
from rag.surfaces.http_api.query_options import options_of
from rag.surfaces.http_api.services import services_of
from rag.wire import to_json
from rag.wire.base_reports import DeletionReport, DocumentInspection, DocumentList

router = APIRouter(tags=["documents"])

LINES = ("start", "end", "max_tokens")
ORIGIN = ("source", "tenant")
PAGE = ("limit", "offset")
# A path is a key of the base and never a file, so it may hold slashes, dots and whatever else.
NAMED = (
    "`document` is a doc_id, or a path with its slashes as they are or as %2F; of several "
    "documents with one path an answer names the ids."
)


@router.get(
    "/v1/documents",
    operation_id="list_documents",
    summary="List the stored documents",
    description="By source, then path. `total` counts all that the filters let through.",
    openapi_extra=options(*field_options(ListRequest, *PAGE, limit=LIST_LIMIT), *FILTER_OPTIONS),
    responses=answers(DocumentList),
)
async def list_documents(request: Request) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    given = options_of(request.query_params, *PAGE, filters=True)
    page = parse_as(ListRequest, {"limit": LIST_LIMIT, **given})
    filters = caller.narrowed(page.filters)

    def work() -> str:
        found = services.base.list_documents(filters, limit=page.limit, offset=page.offset)
        return to_json(found)

    return json_response(await services.reads.run(work))


@router.get(
    "/v1/documents/{document:path}/chunks",
    operation_id="get_document_chunks",
    summary="Show all that is stored of a document",
    description=NAMED,
    responses=answers(DocumentInspection, 404),
)
async def get_document_chunks(request: Request, document: str) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    options_of(request.query_params)

    def work() -> str:
        base = services.base
        found = base.parts.fetcher.find(document, tenant=caller.tenant)
        return to_json(base.inspect_document(found.doc_id))

    return json_response(await services.reads.run(work))


@router.get(
    "/v1/documents/{document:path}",
    operation_id="get_document",
    summary="Read a document, or some lines or pages of it",
    description=f"{NAMED} Lines and pages are numbered as citations number them.",
    openapi_extra=options(*field_options(FetchRequest, *LINES, *ORIGIN)),
    responses=answers(FetchResult, 404),
)
async def get_document(request: Request, document: str) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    lines = options_of(request.query_params, *LINES, texts=ORIGIN)
    kind = "span" if {"start", "end"} & set(lines) else "document"
    wanted = parse_fetch({"kind": kind, "name": document, **lines})
    own = caller.narrowed(SearchFilter(tenant=wanted.tenant))

    def work() -> str:
        base = services.base
        found = base.parts.fetcher.find(wanted.name, source=wanted.source, tenant=own.tenant)
        return to_json(base.fetch(wanted.model_copy(update={"name": found.doc_id})))

    return json_response(await services.reads.run(work))


@router.get(
    "/v1/chunks/{chunk_id}",
    operation_id="get_chunk",
    summary="Read a chunk, with its neighbours if asked",
    openapi_extra=options(*field_options(FetchRequest, "context")),
    responses=answers(FetchResult, 404),
)
async def get_chunk(request: Request, chunk_id: str) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    around = options_of(request.query_params, "context")
    wanted = parse_fetch({"kind": "chunk", "name": chunk_id, **around})

    def work() -> str:
        base = services.base
        base.parts.fetcher.find_chunk(chunk_id, tenant=caller.tenant)
        return to_json(base.fetch(wanted))

    return json_response(await services.reads.run(work))


@router.delete(
    "/v1/documents/{document:path}",
    operation_id="delete_document",
    summary="Remove a document",
    description=f"{NAMED} A later ingest of its file adds it again.",
    responses=answers(DeletionReport, 404),
)
async def delete_document(request: Request, document: str) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, WRITE)
    options_of(request.query_params)
    services.settings.require_writable("delete")

    def work() -> str:
        base = services.base
        found = base.parts.fetcher.find(document, tenant=caller.tenant)
        return to_json(base.delete(found.doc_id))

    return json_response(await services.writes.run(work))
