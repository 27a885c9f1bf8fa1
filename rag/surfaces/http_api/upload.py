"""Reads an uploaded file and the fields beside it."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from rag.errors import InvalidArgumentError
from rag.requests.ingest_arguments import MAX_TAGS
from rag.surfaces.http_api.request_body import read_body
from rag.surfaces.http_api.services import services_of
from rag.surfaces.http_api.upload_request import UploadIngest

MULTIPART = "multipart/form-data"
FILE_FIELD = "file"
FORM_BYTES = 100_000  # what the fields and the boundaries of a form may take beside the file


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file and the fields that came with it."""

    file_name: str
    data: bytes
    fields: dict[str, Any]


async def read_upload(request: Request) -> Upload:
    """Return what a form holds.

    Raises:
        RequestTooLargeError: it is larger than ``ingest.max_file_bytes`` and a little more.
        InvalidArgumentError: it is no form, or has not exactly one file in the field ``file``.
    """
    limit = services_of(request).settings.ingest.max_file_bytes + FORM_BYTES
    body = await read_body(request, limit)
    again = Request(request.scope, _receive_of(body))
    try:
        form = await again.form(
            max_files=1,
            max_fields=MAX_TAGS + len(UploadIngest.model_fields),
            max_part_size=FORM_BYTES,
        )
    except (HTTPException, KeyError, ValueError) as error:  # a boundary is missing or wrong
        detail = error.detail if isinstance(error, HTTPException) else "it cannot be read"
        raise InvalidArgumentError(
            f"the body is no form with one file: {detail}",
            allowed=f"{MULTIPART} with one file in the field {FILE_FIELD!r}",
        ) from None
    async with _closing(form):
        file = form.get(FILE_FIELD)
        if not isinstance(file, UploadFile):
            raise InvalidArgumentError(
                f"the form has no file in the field {FILE_FIELD!r}",
                allowed=f"one file in the field {FILE_FIELD!r}",
                hint="curl -F file=@guide.md",
            )
        return Upload(
            file_name=_plain_name(file.filename or ""),
            data=await file.read(),
            fields=_fields(form),
        )


def _fields(form: FormData) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in form:
        if name == FILE_FIELD:
            continue
        values = [value for value in form.getlist(name) if isinstance(value, str)]
        if name == "tags":
            fields[name] = values
        elif len(values) > 1:
            raise InvalidArgumentError(
                f"the field {name!r:.80} is given more than once", given=name, allowed="once"
            )
        else:
            fields[name] = values[0] if values else ""
    return fields


def _plain_name(name: str) -> str:
    """Return a file's name without the folders that some clients send with it."""
    plain = PurePosixPath(name.replace("\\", "/")).name
    if not plain:
        raise InvalidArgumentError(
            "the uploaded file has no name",
            given=name,
            allowed="a file name with a known suffix, or the field 'name'",
        )
    return plain


def _receive_of(body: bytes) -> Any:
    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


class _closing:  # noqa: N801  # used as a function: async with _closing(form)
    def __init__(self, form: FormData) -> None:
        self._form = form

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        await self._form.close()
