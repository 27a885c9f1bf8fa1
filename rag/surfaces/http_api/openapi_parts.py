"""The OpenAPI description: bodies, answers, problems, keys."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from rag import __version__
from rag.requests.batch_request import BatchRequest
from rag.requests.filter_schema import FILTER_SCHEMA
from rag.requests.ingest_arguments import PathIngest, TextIngest
from rag.requests.request import Request
from rag.surfaces.http_api import openapi_examples as examples
from rag.surfaces.http_api.problem import MEDIA_TYPE as PROBLEM_TYPE
from rag.surfaces.http_api.upload_request import UploadIngest
from rag.tool import LookupRequest, SearchRequest
from rag.wire import json_schema

JSON = "application/json"
MULTIPART = "multipart/form-data"
DESCRIPTION = """\
Look-ups in one base of documents: cited evidence in retrieval order, within a token budget, with \
an honest verdict. Every error is a problem document (RFC 9457) that holds an `error.v1` object; \
branch on its `code`."""
PROBLEM_REF = {"$ref": "#/components/schemas/Problem"}
PROBLEMS = {
    400: "The input is at fault; the message names what was given and what is allowed.",
    401: "An API key is wanted.",
    403: "The API key may not do this.",
    404: "There is no such thing.",
    405: "The address does not take this method.",
    409: "The base changed since the cursor was made.",
    413: "The body is too large.",
    415: "The body is of a kind that is not read here.",
    421: "The Host header names no host of this service.",
    422: "The document cannot be read as its kind.",
    500: "The service failed; its log tells more under the same request id.",
    503: "Not now: too much work, too slow, or the store does not answer.",
}
_SCHEMA_KEYS = ("type", "minimum", "maximum", "minLength", "maxLength")
EVERYWHERE = (400, 401, 403, 405, 413, 421, 500, 503)


def json_response(body: str, status: int = 200) -> Response:
    """Return an answer whose JSON is written already."""
    return Response(body, status_code=status, media_type=JSON)


def answers(model: Any, *further: int) -> dict[int | str, dict[str, Any]]:
    """Return the answers of a route: the object it gives, and its problems."""
    problems: dict[int | str, dict[str, Any]] = {
        status: {
            "description": PROBLEMS[status],
            "content": {PROBLEM_TYPE: {"schema": PROBLEM_REF}},
        }
        for status in sorted({*EVERYWHERE, *further})
    }
    given: dict[int | str, dict[str, Any]] = {
        200: {"model": model, "description": "Done."},
        **problems,
    }
    given[503]["headers"] = {
        "Retry-After": {
            "description": "Seconds after which to try again.",
            "schema": {"type": "integer"},
        }
    }
    return given


def options(*parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a route, those behind the question mark."""
    return {"parameters": list(parameters)}


def field_options(model: type[Request], *names: str, **defaults: int) -> tuple[dict[str, Any], ...]:
    """Return options that are whole numbers or texts, by the fields of a request they fill."""
    schemas = model.model_json_schema()["properties"]
    return tuple(
        _option(name, _plain(schemas[name], defaults.get(name)), schemas[name]["description"])
        for name in names
    )


def _plain(field: dict[str, Any], default: int | None) -> dict[str, Any]:
    plain = next(one for one in field.get("anyOf", [field]) if one["type"] != "null")
    chosen = field.get("default") if default is None else default
    kept = {key: plain[key] for key in _SCHEMA_KEYS if key in plain}
    return kept if chosen is None else {**kept, "default": chosen}


def _option(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": description,
        "schema": schema,
    }


LIST_LIMIT = 100  # documents per page where none is asked for: some 50 kilobytes
FILTER_OPTIONS = tuple(
    _option(name, {k: v for k, v in field.items() if k != "description"}, field["description"])
    for name, field in FILTER_SCHEMA["properties"].items()
)


def _body(content: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": content}}


def _upload_schema() -> dict[str, Any]:
    fields = UploadIngest.model_json_schema()["properties"]
    file = {"type": "string", "format": "binary", "description": "The file."}
    return {
        "type": "object",
        "properties": {"file": file, **fields},
        "required": ["file"],
        "additionalProperties": False,
    }


LOOKUP_BODY = _body(
    {JSON: {"schema": LookupRequest.model_json_schema(), "examples": examples.LOOKUPS}}
)
BATCH_BODY = _body(
    {JSON: {"schema": BatchRequest.model_json_schema(), "examples": examples.BATCHES}}
)
SEARCH_BODY = _body(
    {JSON: {"schema": SearchRequest.model_json_schema(), "examples": examples.SEARCHES}}
)
INGEST_BODY = _body(
    {
        JSON: {
            "schema": {"oneOf": [TextIngest.model_json_schema(), PathIngest.model_json_schema()]},
            "examples": examples.INGESTS,
        },
        MULTIPART: {"schema": _upload_schema()},
    }
)


def describe(app: FastAPI, *, needs_key: bool) -> dict[str, Any]:
    """Return the whole description of a service."""
    schema: dict[str, Any] = get_openapi(
        title="rag-evidence",
        version=__version__,
        description=DESCRIPTION,
        routes=app.routes,
        tags=[
            {"name": "ask", "description": "Questions and searches."},
            {"name": "documents", "description": "What the base holds."},
            {"name": "service", "description": "How the service is."},
        ],
    )
    components = schema.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = _problem_schema()
    # added here, since the framework leaves null out of what it is given before
    answered = schema["paths"]["/v1/lookup"]["post"]["responses"]
    answered["200"]["content"][JSON]["example"] = examples.LOOKED_UP
    for operations in schema["paths"].values():
        for operation in operations.values():
            operation["responses"]["400"]["content"][PROBLEM_TYPE]["example"] = examples.REFUSED
    if needs_key:
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        for path, operations in schema["paths"].items():
            if path.startswith("/v1/") or path == "/metrics":
                for operation in operations.values():
                    operation["security"] = [{"key": []}]
    return schema


def _problem_schema() -> dict[str, Any]:
    error = json_schema("error.v1")
    texts = {
        "type": "Names the code as a URN.",
        "title": "The code in words.",
        "detail": "The message.",
        "instance": "Names the request, as the log does.",
    }
    members = {name: {"type": "string", "description": said} for name, said in texts.items()}
    return {
        "type": "object",
        "properties": {
            **members,
            "status": {"type": "integer", "description": "The HTTP status."},
            **error["properties"],
        },
        "required": [*members, "status", *error["required"]],
        "additionalProperties": False,
    }
