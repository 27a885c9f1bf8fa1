"""``/healthz``, ``/readyz`` and ``/metrics``: how the service is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Request, Response

from rag.errors import ForbiddenError
from rag.surfaces.http_api.access import bearer_caller
from rag.surfaces.http_api.api_keys import READ
from rag.surfaces.http_api.metrics import MEDIA_TYPE
from rag.surfaces.http_api.openapi_parts import answers, json_response
from rag.surfaces.http_api.services import services_of
from rag.wire import to_json

router = APIRouter(tags=["service"])


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState:
    """How the service is; a base that is not ready is a problem document instead."""

    status: Literal["ok", "ready"]


@router.get(
    "/healthz",
    operation_id="health",
    summary="Say that the process answers",
    description="Needs no key and asks nothing of the base.",
    responses=answers(ServiceState),
)
async def healthz() -> Response:
    return json_response(to_json(ServiceState(status="ok")))


@router.get(
    "/readyz",
    operation_id="ready",
    summary="Say that the base can be asked",
    description="Needs no key; 503 while the base is not open or a store does not answer. A base "
    "that the first document is to make is ready.",
    responses=answers(ServiceState),
)
async def readyz(request: Request) -> Response:
    services = services_of(request)
    await services.reads.run(lambda: services.metrics.holds(services.stats()))
    return json_response(to_json(ServiceState(status="ready")))


@router.get(
    "/metrics",
    operation_id="metrics",
    summary="Give the counters, for Prometheus",
    description="Where keys are set, it needs one that is for no single tenant.",
    response_class=Response,
    responses={
        **answers(None),
        200: {
            "description": "Prometheus' text format.",
            "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
        },
    },
)
async def metrics(request: Request) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, READ)
    if caller.tenant is not None:
        raise ForbiddenError(
            f"the API key {caller.name!r} is for one tenant, and the counters are of all",
            allowed="a key without a tenant",
        )

    def work() -> bytes:
        services.metrics.holds(services.stats())
        return services.metrics.page()

    return Response(await services.reads.run(work), media_type=MEDIA_TYPE)
