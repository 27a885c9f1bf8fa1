"""``POST /v1/documents``: an uploaded file, a text, or a path on the service's machine."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request, Response

from rag.errors import ForbiddenError
from rag.ingest.records import IngestReport
from rag.requests.ingest_arguments import AboutDocuments, PathIngest, TextIngest
from rag.requests.request import parse_as
from rag.surfaces.http_api.access import bearer_caller
from rag.surfaces.http_api.allowed_path import allowed_path
from rag.surfaces.http_api.api_keys import WRITE, Caller
from rag.surfaces.http_api.http_errors import UnsupportedMediaTypeError
from rag.surfaces.http_api.openapi_parts import INGEST_BODY, answers, json_response
from rag.surfaces.http_api.query_options import options_of
from rag.surfaces.http_api.request_body import JSON, media_type, read_json
from rag.surfaces.http_api.services import Services, services_of
from rag.surfaces.http_api.upload import MULTIPART, read_upload
from rag.surfaces.http_api.upload_request import UploadIngest
from rag.wire import to_json

router = APIRouter(tags=["documents"])


@router.post(
    "/v1/documents",
    operation_id="ingest",
    summary="Add or replace documents",
    description="An uploaded file as multipart/form-data, or as JSON a text, or a path of the "
    "service's machine below a folder that its settings allow. What was stored under the same "
    "path and source is replaced; an unchanged document costs nothing.",
    openapi_extra=INGEST_BODY,
    responses=answers(IngestReport, 404, 415, 422),
)
async def ingest(request: Request) -> Response:
    services = services_of(request)
    caller = bearer_caller(services.keys, request, WRITE)
    options_of(request.query_params)
    services.settings.require_writable("ingest")
    kind = media_type(request)
    if kind == MULTIPART:
        upload = await read_upload(request)
        about = parse_as(UploadIngest, upload.fields)
        work = _stored(services, caller, about.name or upload.file_name, upload.data, about)
    elif kind == JSON:
        body = await read_json(request)
        if "path" in body:
            work = _read_from_disk(services, caller, parse_as(PathIngest, body))
        else:
            given = parse_as(TextIngest, body)
            work = _stored(services, caller, given.name, given.text, given)
    else:
        allowed = f"{MULTIPART} or {JSON}"
        raise UnsupportedMediaTypeError(
            f"the body must be {allowed}; got {kind or 'no Content-Type'}",
            given=kind,
            allowed=allowed,
        )
    return json_response(await services.writes.run(work))


def _stored(
    services: Services, caller: Caller, name: str, text: str | bytes, about: AboutDocuments
) -> Callable[[], str]:
    """Return the work of storing one text, or one file's bytes."""
    tenant = caller.tenant_to_write(about.tenant)

    def work() -> str:
        _check_source(services, caller, about.source)
        report = services.base_to_write.ingest_text(
            text,
            name=name,
            source=about.source,
            tenant=tenant,
            tags=about.tags,
            trust=about.trust,
            source_type=about.source_type,
        )
        return to_json(report)

    return work


def _read_from_disk(services: Services, caller: Caller, about: PathIngest) -> Callable[[], str]:
    """Return the work of reading a path of this machine."""
    if caller.tenant is not None:
        raise ForbiddenError(
            f"the API key {caller.name!r} is for one tenant and reads no files of this machine",
            given=about.path,
            allowed="an upload or a text",
        )

    def work() -> str:
        path = allowed_path(about.path, services.settings.server.ingest_roots)
        report = services.base_to_write.ingest(
            path,
            source=about.source,
            tenant=about.tenant,
            tags=about.tags,
            trust=about.trust,
            source_type=about.source_type,
            force=about.force,
        )
        return to_json(report)

    return work


def _check_source(services: Services, caller: Caller, name: str | None) -> None:
    """Keep a tenant's key from a source that holds a folder of this machine."""
    if caller.tenant is None or name is None:
        return
    for source in services.base_to_write.parts.store.sources():
        if source.name == name and source.root:
            raise ForbiddenError(
                f"the source {name!r:.80} is not open to the API key {caller.name!r}",
                given=name,
                allowed="another name",
            )
