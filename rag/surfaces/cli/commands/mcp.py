"""``rag mcp``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rag.errors import InvalidArgumentError
from rag.platform.at_path import at_path, home_path, real_path
from rag.surfaces.cli.options import BaseOptions
from rag.surfaces.cli.terminal import no_base_yet, note
from rag.surfaces.collector_pauses import collect_rarely

DEFAULT_PORT = 8_765


def mcp_command(
    *,
    http: Annotated[bool, Parameter(negative=())] = False,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    root: tuple[Path, ...] = (),
    max_result_tokens: int = 20_000,
    allow_remote: Annotated[bool, Parameter(negative=())] = False,
    common: BaseOptions = BaseOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Serve the base to agents over the Model Context Protocol.

    Without --http it talks over standard input and output, as an agent's program starts it.

    For example:
      rag mcp --store /home/me/kb.db --readonly
      rag mcp --root ~/notes
      rag mcp --http --port 8765

    Parameters
    ----------
    http
        Serve streamable HTTP instead of standard input and output.
    host
        Address to listen on.
    port
        Port to listen on; 0 takes a free one.
    root
        Folder that ingest_file may read from; repeat for several. Default: this folder.
    max_result_tokens
        Refuse a result that would take more; 0 refuses none.
    allow_remote
        Listen where other machines can reach it; there is no password.
    """
    from rag.assembly import is_server, open_base
    from rag.platform.logs import configure_logging
    from rag.surfaces.mcp_server.http import serve_http
    from rag.surfaces.mcp_server.server import build_server
    from rag.surfaces.mcp_server.stdio import serve_stdio
    from rag.surfaces.shared_base import SharedBase

    if max_result_tokens < 0:
        raise InvalidArgumentError(
            f"--max-result-tokens must be at least 0; got {max_result_tokens}",
            given=max_result_tokens,
            allowed="0 or more; 0 refuses no result",
        )
    settings = common.settings()
    shared = SharedBase(lambda create: open_base(settings, create=create))
    server = build_server(
        settings, shared, roots=_folders(root), max_result_tokens=max_result_tokens
    )
    collect_rarely()
    configure_logging(
        **settings.logs.model_dump()
    )  # after the protocol's library, which has its own ideas
    uri = settings.store.uri  # looked at without opening, which no handshake may wait for
    if not is_server(uri) and not at_path(uri).exists:
        if settings.readonly:
            note(f"there is no base at {uri}; each call says so until there is")
        else:
            note(no_base_yet(uri))
    if http:
        serve_http(
            server,
            host=host,
            port=port,
            allow_remote=allow_remote,
            listening=lambda url: note(f"serving MCP at {url}"),
        )
        note("stopped")
        return 0
    if sys.stdin.isatty():
        note("serving MCP on standard input and output, for a client to start; Ctrl-C ends it")
    serve_stdio(server, shared)
    return 0


def _folders(given: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the folders with links followed; this one where none is named.

    Some programs start their servers at the root of the file system, which is nobody's choice of
    what an agent may read: no folder is allowed then.
    """
    if not given:
        here = Path.cwd().resolve()
        return () if here == Path(here.anchor) else (here,)
    for folder in given:
        if not at_path(home_path(folder)).is_folder:
            raise InvalidArgumentError(
                f"--root {folder!s:.200} is no folder",
                given=str(folder),
                allowed="an existing folder",
                hint="name the folder that an agent may add files from, such as: --root ~/notes",
            )
    return tuple(real_path(home_path(folder)) for folder in given)
