"""``rag serve``."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from rag.errors import MissingExtraError, PathNotFoundError, StoreNotInitialisedError
from rag.platform.at_path import at_path
from rag.surfaces.cli.options import BaseOptions
from rag.surfaces.cli.shown_default import default_of
from rag.surfaces.cli.terminal import no_base_yet, note
from rag.surfaces.collector_pauses import collect_rarely

if TYPE_CHECKING:
    from rag.settings import Settings
    from rag.surfaces.shared_base import SharedBase


def serve_command(
    *,
    host: Annotated[str | None, Parameter(show_default=default_of("server.host"))] = None,
    port: Annotated[int | None, Parameter(show_default=default_of("server.port"))] = None,
    root: Annotated[
        tuple[Path, ...], Parameter(show_default=default_of("server.ingest_roots"))
    ] = (),
    watch: Path | None = None,
    allow_without_keys: bool = False,
    new_key: str | None = None,
    tenant: str | None = None,
    write: bool = False,
    common: BaseOptions = BaseOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Serve the base over HTTP, with an inspector for the browser.

    JSON under /v1, its description at /openapi.json, the inspector at /. It listens to this
    machine alone, unless API keys are set. Ctrl-C ends it; what runs is finished first.

    For example:
      rag serve
      rag serve --store kb --port 8080 --readonly
      rag serve --watch docs/
      rag serve --new-key ci --write

    Parameters
    ----------
    host
        Address to listen on.
    port
        Port to listen on; 0 takes a free one.
    root
        Folder below which a request may name a path to ingest; repeat for several.
    watch
        Folder to keep the base in line with while it serves.
    allow_without_keys
        Listen beyond this machine without API keys; for a trusted network only.
    new_key
        Print a fresh API key of this name, and its table for rag.toml, and do nothing else.
    tenant
        With --new-key: the one tenant that the key is for.
    write
        With --new-key: let the key write, too.
    """
    try:
        from rag.surfaces.http_api.api_keys import new_key_table
        from rag.surfaces.http_api.app import build_app
        from rag.surfaces.http_api.server import check_exposure, serve
        from rag.surfaces.http_api.services import build_services
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"serving over HTTP needs the package {error.name}",
            given=error.name,
            allowed="an installation with the extra server",
            hint="pip install 'rag-evidence[server]'",
        ) from None
    if new_key is not None:
        print(new_key_table(new_key, tenant=tenant, write=write))  # noqa: T201  # the CLI's own voice
        return 0
    from rag.platform.logs import configure_logging

    settings = common.settings(server=_overrides(host, port, root, allow_without_keys))
    configure_logging(**settings.logs.model_dump())
    collect_rarely()
    check_exposure(settings.server)
    shared, spans = _base_and_spans(settings)
    is_new = _is_new(settings, shared)
    services = build_services(settings, shared, spans=spans)
    with _watching(watch, settings, shared) if watch is not None else nullcontext():
        serve(
            build_app(services),
            settings.server,
            listening=lambda url: _say_where(url, settings.store.uri, is_new=is_new),
        )
    note("stopped")
    return 0


def _is_new(settings: Settings, shared: SharedBase) -> bool:
    """Open the base, so that a fault is told here and not to the first client.

    Whether it is yet to be made: by the first document that is stored, never by looking.
    """
    try:
        shared.get()
    except StoreNotInitialisedError:
        if settings.readonly:
            raise
        return True
    return False


def _say_where(url: str, uri: str, *, is_new: bool) -> None:
    note(f"serving {uri} at {url}; Ctrl-C ends it")
    if is_new:
        note(no_base_yet(uri))


def _overrides(
    host: str | None, port: int | None, root: tuple[Path, ...], allow_without_keys: bool
) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if host is not None:
        given["host"] = host
    if port is not None:
        given["port"] = port
    if root:
        given["ingest_roots"] = root
    if allow_without_keys:
        given["allow_without_keys"] = True
    return given


def _watching(folder: Path, settings: Settings, shared: SharedBase) -> AbstractContextManager[None]:
    """Return what keeps the base in line with a folder while inside."""
    from rag.assembly import is_server
    from rag.embedding import default_cache_path
    from rag.surfaces.watch.folder_watcher import FolderWatcher
    from rag.surfaces.watch.plain_lines import PlainLines

    settings.require_writable("watch a folder")
    if not at_path(folder).is_folder:
        raise PathNotFoundError(
            f"no folder at {folder}", given=str(folder), allowed="the path of an existing folder"
        )
    own = [settings.embedding.cache_path or default_cache_path()]
    if not is_server(settings.store.uri):
        own.append(Path(settings.store.uri))
    return FolderWatcher(
        folder,
        lambda progress: shared.get(create=True).ingest(folder, progress=progress),
        PlainLines(as_json=False),
        keep_out=own,
    ).in_background()


def _base_and_spans(settings: Settings) -> tuple[SharedBase, Any]:
    """Return the base, and what tells a tracer of it where the settings ask for that."""
    from rag.assembly import open_base
    from rag.surfaces.shared_base import SharedBase

    if not settings.server.tracing:
        return SharedBase(lambda create: open_base(settings, create=create)), None
    try:
        from rag.surfaces.http_api.tracing import (
            OpenInferenceSpans,
            TracingSearchService,
            export_spans,
        )
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"tracing needs the package {error.name}",
            given=error.name,
            allowed="an installation with the extra otel",
            hint="pip install 'rag-evidence[otel]'",
        ) from None
    export_spans()
    return SharedBase(
        lambda create: open_base(settings, create=create, service_type=TracingSearchService)
    ), OpenInferenceSpans()
