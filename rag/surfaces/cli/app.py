"""The commands, each loaded only when it runs, and the one place where errors become exit codes.

Exit codes: 0 ok (no hits too), 1 refused, 2 error, 3 unhealthy (doctor), 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError, Group

from rag import __version__
from rag.errors import InvalidArgumentError, RagError
from rag.surfaces.cli.terminal import print_error

EXIT_INTERRUPTED = 130  # the shell's convention: 128 + SIGINT

START = Group("Start", sort_key=1)
ASK = Group("Ask", sort_key=2)
LOOK = Group("Look inside", sort_key=3)
SERVE = Group("Serve", sort_key=4)

COMMANDS = "rag.surfaces.cli.commands"


def build_app() -> App:
    """Return the command tree; nothing behind a command is imported yet."""
    app = App(
        name="rag",
        help="The lookup tool an agent can trust: cited evidence from your own documents.",
        help_epilogue="Try it: rag quickstart. Every command takes --json and --help.",
        version=__version__,
        version_flags=["--version", "-V"],
        help_format="plaintext",
        group_commands=Group("Commands", show=False),
    )
    for group, name, summary in (
        (START, "quickstart", "Build a small base and look something up in it."),
        (START, "init", "Write a rag.toml with every setting and its default."),
        (START, "ingest", "Read a folder or file into the base; only what changed."),
        (ASK, "lookup", "Ask a question; get cited evidence and a verdict."),
        (ASK, "search", "Rank chunks for a query; --explain shows every score."),
        (LOOK, "fetch", "Read back a chunk, a document or some lines."),
        (LOOK, "list", "List the documents in the base."),
        (LOOK, "inspect", "Show all that is stored of a document or chunk."),
        (LOOK, "doctor", "Check settings, store, embedder and index."),
        (LOOK, "schema", "Show what this base can do, or a JSON schema."),
        (SERVE, "mcp", "Serve the base to agents over the Model Context Protocol."),
        (SERVE, "watch", "Keep the base in line with a folder as its files change."),
    ):
        app.command(f"{COMMANDS}.{name}:{name}_command", name=name, help=summary, group=group)
    return app


def run(argv: Sequence[str]) -> int:
    """Run one command line; print its error, if any; return the exit code."""
    as_json = "--json" in argv
    try:
        code = build_app()(
            list(argv), exit_on_error=False, print_error=False, result_action="return_value"
        )
    except RagError as error:
        print_error(error, as_json=as_json)
        return error.exit_code
    except CycloptsError as error:
        wrapped = _from_parser(error, argv)
        print_error(wrapped, as_json=as_json)
        return wrapped.exit_code
    except KeyboardInterrupt:
        print("interrupted; what was written is kept", file=sys.stderr)  # noqa: T201  # the CLI's own voice
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # the reader went away (`rag list | head`): no error, and no second one at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code if isinstance(code, int) else 0


def _from_parser(error: CycloptsError, argv: Sequence[str]) -> InvalidArgumentError:
    command = next((word for word in argv if not word.startswith("-")), "")
    known = command if command in build_app() else ""
    return InvalidArgumentError(
        str(error).strip() or "the command line cannot be read",
        given=" ".join(argv),
        hint=f"see: rag {known} --help" if known else "see: rag --help",
    )
