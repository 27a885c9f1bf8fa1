"""One asker for each surface: turns a call into that surface's own words, and its answer back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any
from urllib.parse import quote

import httpx

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import RagError
from rag.maintenance.diagnosis import diagnose
from rag.requests.batch_request import BatchRequest
from rag.requests.list_request import ListRequest
from rag.requests.request import parse_as
from rag.wire import json_schema, to_wire
from tests.surfaces.calls import SurfaceCall
from tests.surfaces.cli.command_line import CommandLine, checked
from tests.surfaces.mcp_server.serving import LiveClient, text_of

Answer = Any
Asker = Callable[[SurfaceCall], Answer]
ERROR_FIELDS = tuple(json_schema("error.v1")["properties"])


def ask_python(base: KnowledgeBase, call: SurfaceCall) -> Answer:
    """Return what the Python method returns, as it goes on the wire, or the error raised."""
    fields = call.fields

    def batched() -> Any:
        if "queries" not in fields:  # Python's own argument, which cannot be left out there
            return parse_as(BatchRequest, fields)
        options = {name: value for name, value in fields.items() if name != "queries"}
        return base.lookup_many(fields["queries"], **options)

    def listed() -> Any:
        if "colour" in fields:  # the method takes its arguments by name, as Python does
            return parse_as(ListRequest, fields)
        return base.list_documents(**fields)

    def inspected() -> Any:
        inspect = base.inspect_chunk if fields["kind"] == "chunk" else base.inspect_document
        return inspect(fields["name"])

    methods: dict[str, Callable[[], Any]] = {
        "lookup": lambda: base.lookup(fields),
        "batch": batched,
        "search": lambda: base.search(fields),
        "bulk": lambda: base.search_many(fields["queries"]),
        "fetch": lambda: base.fetch(fields),
        "list": listed,
        "inspect": inspected,
        "schema": base.describe,
        "doctor": lambda: diagnose(lambda: base.settings, lambda: nullcontext(base)),
    }
    try:
        found = methods[call.operation]()
    except RagError as error:
        return error.to_wire()
    return [to_wire(one) for one in found] if call.operation == "bulk" else to_wire(found)


def ask_cli(rag: CommandLine, call: SurfaceCall) -> Answer:
    """Return the one object on standard output, or the error on standard error."""
    if call.operation == "bulk":
        lines = "\n".join(map(json.dumps, call.fields["queries"]))
        return rag("search", "--bulk", stdin=lines).lines
    ran = rag(*command_line(call), "--json")
    return ran.json if ran.out else ran.error


def command_line(call: SurfaceCall) -> list[str]:
    """Return a call as the words of a command."""
    fields = dict(call.fields)
    places = {
        "lookup": ("query",),
        "search": ("query",),
        "fetch": ("kind", "name", "start", "end"),
        "inspect": ("kind", "name"),
    }.get(call.operation, ())
    words = [call.operation, *(str(fields.pop(name)) for name in places if name in fields)]
    filters = fields.pop("filters", {})
    for name, value in {**fields, **filters}.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        else:
            several = value if isinstance(value, list) else [value]
            words += [f"{option}={one}" for one in several]
    return words


def ask_mcp(client: LiveClient, call: SurfaceCall) -> Answer:
    """Return the structured content of a tool's result, or the error in its ``_meta``.

    The context block is sent as the text of the result and not a second time; it is put back
    from there, so that what a model reads is compared too.
    """
    tools = {"lookup": "lookup_knowledge", "batch": "lookup_knowledge_batch"}
    arguments = {**call.fields}
    result = client.call(tools.get(call.operation, call.operation), **arguments)
    if result.is_error:
        assert result.meta is not None
        error = result.meta["rag-evidence/error"]
        assert error["message"] in text_of(result)
        return error
    found = dict(result.structured_content)
    if call.operation in tools:
        assert found["context"] == ""
        found["context"] = text_of(result)
    return found


def ask_http(client: httpx.Client, call: SurfaceCall) -> Answer:
    """Return the body of the answer, or the ``error.v1`` within its problem."""
    answer = client.send(http_request(client, call))
    if answer.is_success:
        return checked(answer.text)
    problem = answer.json()
    assert problem["status"] == answer.status_code
    assert problem["detail"] == problem["message"]
    return {name: problem[name] for name in ERROR_FIELDS}


def http_request(client: httpx.Client, call: SurfaceCall) -> httpx.Request:
    """Return a call as a request."""
    posts = {"lookup": "/v1/lookup", "batch": "/v1/lookup/batch", "search": "/v1/search"}
    if call.operation in posts:
        return client.build_request("POST", posts[call.operation], json=call.fields)
    fields = dict(call.fields)
    filters: Mapping[str, Any] = fields.pop("filters", {})
    kind, name = fields.pop("kind", None), quote(fields.pop("name", ""), safe="")
    path = {
        "list": "/v1/documents",
        "inspect": f"/v1/documents/{name}/chunks",
        "fetch": f"/v1/{'chunks' if kind == 'chunk' else 'documents'}/{name}",
    }[call.operation]
    return client.build_request("GET", path, params={**fields, **filters})
