"""``/v1/documents`` and ``/v1/chunks``: what the base holds."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from rag.errors import ChunkNotFoundError, DocumentNotFoundError
from rag.ingest.records import Document
from rag.knowledge_base import KnowledgeBase
from rag.retrieval.document_fetcher import MAX_CONTEXT, FetchResult
from rag.stores.filters import FILTER_KEYS
from rag.surfaces.http_api.access import bearer_caller
from rag.surfaces.http_api.api_keys import READ, WRITE, Caller
from rag.surfaces.http_api.openapi_parts import (
    FILTER_OPTIONS,
    answers,
    json_response,
    number_option,
    options,
)
from rag.surfaces.http_api.query_options import check_names, filters_of, whole_number
from rag.surfaces.http_api.services import services_of
from rag.wire import to_json
from rag.wire.base_reports import DeletionReport, DocumentInspection, DocumentList

router = APIRouter(tags=["documents"])

LIMIT, MAX_LIMIT = 100, 1_000  # documents per page: a page of 1,000 is about half a megabyte
MAX_OFFSET = 100_000_000
MAX_TOKENS = 1_000_000
MAX_LINE = 1_000_000_000
SPAN_OPTIONS = ("start", "end", "max_tokens")


@router.get(
    "/v1/documents",
    operation_id="list_documents",
    summary="List the stored documents",
    description="By source, then path. `total` counts all that the filters let through.",
    openapi_extra=options(
        number_option("limit", 1, MAX_LIMIT, "Documents per page.", default=LIMIT),
        number_option("offset", 0, MAX_OFFSET, "Documents to pass over.", default=0),
        *FILTER_OPTIONS,
    ),
    responses=answers(DocumentList),
)
async def list_documents(request: Request) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    params = request.query_params
    check_names(params, ("limit", "offset", *FILTER_KEYS))
    limit = whole_number(params, "limit", least=1, most=MAX_LIMIT, default=LIMIT)
    offset = whole_number(params, "offset", least=0, most=MAX_OFFSET, default=0)
    filters = caller.narrowed(filters_of(params))

    def work() -> str:
        found = services.base.documents(filters)
        page = found[offset : (offset or 0) + (limit or 0)]
        return to_json(DocumentList(documents=page, total=len(found)))

    return json_response(await services.reads.run(work))


@router.get(
    "/v1/documents/{doc_id}",
    operation_id="get_document",
    summary="Read a document, or some lines or pages of it",
    description="Lines and pages are numbered as citations number them.",
    openapi_extra=options(
        number_option("start", 1, MAX_LINE, "First line or page."),
        number_option("end", 1, MAX_LINE, "Last line or page; default: the first."),
        number_option("max_tokens", 0, MAX_TOKENS, "Tokens after which the text is cut."),
    ),
    responses=answers(FetchResult, 404),
)
async def get_document(request: Request, doc_id: str) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    params = request.query_params
    check_names(params, SPAN_OPTIONS)
    start = whole_number(params, "start", least=1, most=MAX_LINE)
    end = whole_number(params, "end", least=1, most=MAX_LINE)
    max_tokens = whole_number(params, "max_tokens", least=0, most=MAX_TOKENS)

    def work() -> str:
        base = services.base
        document = visible_document(base, caller, doc_id)
        if start is None and end is None:
            return to_json(base.fetch_document(document.doc_id, max_tokens=max_tokens))
        first, last = start or 1, end or start
        return to_json(base.fetch_span(document.doc_id, first, last, max_tokens=max_tokens))

    return json_response(await services.reads.run(work))


@router.get(
    "/v1/documents/{doc_id}/chunks",
    operation_id="get_document_chunks",
    summary="Show all that is stored of a document",
    responses=answers(DocumentInspection, 404),
)
async def get_document_chunks(request: Request, doc_id: str) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    check_names(request.query_params, ())

    def work() -> str:
        base = services.base
        return to_json(base.inspect_document(visible_document(base, caller, doc_id).doc_id))

    return json_response(await services.reads.run(work))


@router.get(
    "/v1/chunks/{chunk_id}",
    operation_id="get_chunk",
    summary="Read a chunk, with its neighbours if asked",
    openapi_extra=options(
        number_option("context", 0, MAX_CONTEXT, "Chunks on either side.", default=0)
    ),
    responses=answers(FetchResult, 404),
)
async def get_chunk(request: Request, chunk_id: str) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    check_names(request.query_params, ("context",))
    params = request.query_params
    context = whole_number(params, "context", least=0, most=MAX_CONTEXT, default=0)

    def work() -> str:
        base = services.base
        found = base.parts.store.chunk(chunk_id)
        if found is None or not caller.sees(found.tenant):
            raise ChunkNotFoundError(
                f"no chunk {chunk_id!r:.80} in this index",
                given=chunk_id,
                allowed="a chunk_id from a search or look-up",
                hint="the document may have been re-ingested since; search again",
            )
        return to_json(base.fetch_chunk(chunk_id, context=context or 0))

    return json_response(await services.reads.run(work))


@router.delete(
    "/v1/documents/{doc_id}",
    operation_id="delete_document",
    summary="Remove a document",
    description="A later ingest of its file adds it again.",
    responses=answers(DeletionReport, 404),
)
async def delete_document(request: Request, doc_id: str) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, WRITE)
    check_names(request.query_params, ())
    services.settings.require_writable("delete")

    def work() -> str:
        base = services.base
        return to_json(base.delete(visible_document(base, caller, doc_id).doc_id))

    return json_response(await services.writes.run(work))


def visible_document(base: KnowledgeBase, caller: Caller, doc_id: str) -> Document:
    """Return the document with this id, if it is among the caller's.

    Raises:
        DocumentNotFoundError: there is none; whether another tenant has it is not told.
    """
    document = base.parts.store.document(doc_id)
    if document is None or not caller.sees(document.tenant):
        raise DocumentNotFoundError(
            f"no document {doc_id!r:.80} in this index",
            given=doc_id,
            allowed="a doc_id from a result or the list of documents",
        )
    return document
