"""The pages: look up, compare, documents, one document, health."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.responses import HTMLResponse

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import ForbiddenError, RagError, StoreNotInitialisedError
from rag.evidence.records import RagToolResult
from rag.maintenance.diagnosis import diagnose
from rag.requests.lookup_request import parse_request
from rag.settings import Settings
from rag.surfaces.http_api.access import browser_caller
from rag.surfaces.http_api.api_keys import READ, Caller
from rag.surfaces.http_api.lookup_routes import scoped
from rag.surfaces.http_api.problem import status_of
from rag.surfaces.http_api.query_options import whole_number
from rag.surfaces.http_api.services import Services, services_of
from rag.surfaces.web.comparison import compare
from rag.surfaces.web.document_view import view_document
from rag.surfaces.web.hit_rows import hit_rows
from rag.surfaces.web.page_form import MODES, PageForm, read_form
from rag.surfaces.web.reliability import answerability_view
from rag.surfaces.web.rendering import render
from rag.text import Analyzer
from rag.wire.search_response import SearchResult

router = APIRouter(include_in_schema=False)

DOCUMENTS_PER_PAGE = 200
MOST = 1_000_000_000  # lines and offsets: more than any document or base has
ASKING = ("lookup", "compare")  # the pages with a form, above which a mistake is said
OK = 200
Values = dict[str, Any]


@router.get("/")
async def lookup_page(request: Request) -> Response:
    form = read_form(request.query_params)
    return await _page(request, "lookup.html", "lookup", form, _lookup_values)


@router.get("/compare")
async def compare_page(request: Request) -> Response:
    form = read_form(request.query_params)
    return await _page(request, "compare.html", "compare", form, _compare_values)


@router.get("/documents")
async def documents_page(request: Request) -> Response:
    form = read_form(request.query_params)
    offset = whole_number(request.query_params, "offset", least=0, most=MOST, default=0) or 0

    def values(services: Services, caller: Caller, form: PageForm) -> Values:
        found = services.base.documents(caller.narrowed(form.search_filter()))
        shown = found[offset : offset + DOCUMENTS_PER_PAGE]
        after = offset + DOCUMENTS_PER_PAGE
        return {
            "documents": shown,
            "total": len(found),
            "offset": offset,
            "before": max(0, offset - DOCUMENTS_PER_PAGE) if offset else None,
            "after": after if after < len(found) else None,
        }

    return await _page(request, "documents.html", "documents", form, values)


@router.get("/documents/{doc_id}")
async def document_page(request: Request, doc_id: str) -> Response:
    form = read_form(request.query_params)
    params = request.query_params
    start, end, at = (
        whole_number(params, name, least=1, most=MOST) for name in ("start", "end", "at")
    )

    def values(services: Services, caller: Caller, form: PageForm) -> Values:
        base = services.base
        document = base.parts.fetcher.find(doc_id, tenant=caller.tenant)
        inspection = base.inspect_document(document.doc_id)
        view = view_document(
            inspection,
            start=start,
            end=end,
            at=at,
            query=form.q,
            analyzer=Analyzer(services.settings.text.stemmer),
        )
        return {"inspection": inspection, "view": view, "start": start, "end": end}

    return await _page(request, "document.html", "documents", form, values)


@router.get("/health")
async def health_page(request: Request) -> Response:
    def values(services: Services, caller: Caller, form: PageForm) -> Values:
        if caller.tenant is not None:
            raise ForbiddenError(
                f"the API key {caller.name!r} is for one tenant, and this page is about all",
                allowed="a key without a tenant",
            )
        base = services.base
        report = diagnose(lambda: services.settings, lambda: nullcontext(base))
        estimator = base.parts.answerability
        answerability = answerability_view(estimator.profile) if estimator is not None else None
        return {"report": report, "holds": base.describe(), "answerability": answerability}

    return await _page(request, "health.html", "health", PageForm(), values)


async def _page(
    request: Request,
    template: str,
    page: str,
    form: PageForm,
    values: Callable[[Services, Caller, PageForm], Values],
) -> Response:
    """Return a page filled in a worker's thread; input at fault is said above the form."""
    services = services_of(request)
    caller = browser_caller(services.keys, request, READ)

    def work() -> tuple[str, int]:
        try:
            filled: Values = {"error": None, **values(services, caller, form)}
        except StoreNotInitialisedError as error:
            uri = services.settings.store.uri if caller.tenant is None else ""
            status = OK if page in ASKING and not form.asked else status_of(error)
            return render("no_base.html", page=page, form=form, uri=uri), status
        except RagError as error:
            if page not in ASKING:
                raise
            body = render(template, page=page, form=form, error=error, asked=False)
            return body, status_of(error)
        return render(template, page=page, form=form, asked=form.asked, **filled), OK

    body, status = await services.reads.run(work)
    return HTMLResponse(body, status_code=status)


def _lookup_values(services: Services, caller: Caller, form: PageForm) -> Values:
    base = services.base
    if not form.asked:
        return {"holds": base.describe(), "whole": caller.tenant is None}
    result, found = _asked(base, services.settings, caller, form, form.mode or None)
    return {
        "result": result,
        "found": found,
        "rows": hit_rows(found, result),
        "most_tokens": max(1, result.budget.limit),
    }


def _compare_values(services: Services, caller: Caller, form: PageForm) -> Values:
    base = services.base
    left_mode = form.mode or services.settings.search.mode
    right_mode = form.other or next(mode for mode in MODES if mode != left_mode)
    modes = {"left_mode": left_mode, "right_mode": right_mode}
    if not form.asked:
        return modes
    left_result, left = _asked(base, services.settings, caller, form, left_mode)
    right_result, right = _asked(base, services.settings, caller, form, right_mode)
    return {
        **modes,
        "sides": (("left", left, left_result), ("right", right, right_result)),
        "comparison": compare(left.hits, right.hits),
    }


def _asked(
    base: KnowledgeBase, settings: Settings, caller: Caller, form: PageForm, mode: str | None
) -> tuple[RagToolResult, SearchResult]:
    """Return what an agent is given, and the search behind it with everything it knows."""
    filters = caller.narrowed(form.search_filter())
    k, budget = form.k_or_none(), form.budget_or_none()
    found = base.search(form.q, mode=mode, k=k, filters=filters, trace=True)
    request = parse_request(
        {
            "query": form.q,
            "mode": found.mode,
            "k": k,
            "filters": filters,
            "budget_tokens": budget,
        }
    )
    return base.parts.tool.lookup(scoped(request, caller, settings)), found
